/** The loop of a worker: claims what is free, works under the lease, and leaves an account of it for whoever comes next. */
import type { Held, RecordsClient } from "../client/records";
import { isRelightError, RelightError } from "../errors";
import { pause } from "../pause";
import type { Document } from "./events";
import type { ChangedField } from "./state";
import type { FieldView } from "./view";

interface Work {
  /** `incidents/inc-111` */
  record: string;
  fields: Record<string, FieldView>;
  /** What the last owner of one's role left, if anything. */
  checkpoint: Document | null;
  /** What changed since. */
  changedFields: ChangedField[];
  client: RecordsClient;
  /** Aborts when the lease is lost: nothing may be done any more. */
  signal: AbortSignal;
}

export interface Agent {
  /** One cycle of work. @returns whether there is more to do */
  decide(work: Work): Promise<"again" | "done">;
  /** What to leave for whoever takes over, from the fields as they are after a cycle. */
  buildCheckpoint(fields: Record<string, FieldView>): Document;
}

/** What happens to a worker, as it happens. */
export type Happening =
  | { did: "claimed"; record: string; claim: Held }
  | { did: "refused"; record: string; error: RelightError }
  | { did: "checkpoint"; record: string; document: Document }
  | { did: "lost"; record: string; error: RelightError }
  | { did: "done"; record: string };

export interface RunOptions {
  className: string;
  /** The task field that says whose turn it is. */
  claimField: string;
  /** Two to three times one step of the work; renewed at a third. */
  leaseSeconds: number;
  /** Ends the run: after it nothing is claimed, and what is under way is aborted and released. */
  signal?: AbortSignal;
  /** Goes on when all is done, for records that are new, or changed since. */
  forever?: boolean;
  /** How long to wait before looking again at what others hold, in milliseconds; 500 unless given. */
  pollMs?: number;
  on?(happening: Happening): void;
}

/**
 * Works until every record of the class is done; what others hold it waits for, since they may die.
 * @throws what `decide` throws, once the lease is released
 */
export async function run(agent: Agent, client: RecordsClient, options: RunOptions): Promise<void> {
  const { className, signal, pollMs = 500, forever = false } = options;
  /** The version of each record when it was done. */
  const done = new Map<string, number>();
  while (!signal?.aborted) {
    const records = await client.list(className);
    const open = records.filter(({ id, version }) => done.get(id) !== version);
    if (open.length === 0 && !forever) return;
    let worked = false;
    for (const { id } of open) {
      if (signal?.aborted) return;
      const version = await attend(agent, client, `${className}/${id}`, options);
      if (version === null) continue;
      done.set(id, version);
      worked = true;
    }
    if (!worked) await pause(pollMs, signal);
  }
}

/** Claims a record and works on it. @returns its version when it was done; null if it was not */
async function attend(
  agent: Agent,
  client: RecordsClient,
  record: string,
  { claimField: field, leaseSeconds, signal, on = () => {} }: RunOptions,
): Promise<number | null> {
  const asked = Date.now();
  let claim: Held;
  try {
    claim = await client.claim(record, field, { leaseSeconds });
  } catch (error) {
    if (!isRelightError(error, "HELD")) throw error;
    on({ did: "refused", record, error });
    return null;
  }
  on({ did: "claimed", record, claim });
  const lease = keepAlive(client, record, field, leaseSeconds, asked, signal);
  try {
    for (;;) {
      lease.signal.throwIfAborted();
      const { document, changedFields, record: now } = await client.checkpointLoad(record);
      const work = {
        record,
        fields: now.fields,
        checkpoint: document,
        changedFields,
        client,
        signal: lease.signal,
      };
      const result = await agent.decide(work);
      lease.signal.throwIfAborted();
      const { fields, version } = await client.get(record);
      const after = agent.buildCheckpoint(fields);
      // What others wrote during the cycle was not decided from: it is news to the next one.
      const { fence } = claim;
      await client.checkpointSave(record, after, { field, fence, readVersion: now.version });
      on({ did: "checkpoint", record, document: after });
      if (result === "again") continue;
      await lease.end(() => client.release(record, field));
      on({ did: "done", record });
      return version;
    }
  } catch (error) {
    const lost = lostBy(lease.signal, error);
    if (!lost) {
      // Whoever comes next need not wait for the lease to run out.
      await lease.end(() => client.release(record, field)).catch(() => {});
      if (signal?.aborted) return null;
      throw error;
    }
    await lease.end();
    on({ did: "lost", record, error: lost });
    return null;
  }
}

/** The lease is gone: a renewal said so, or something that was written under it. */
function lostBy(signal: AbortSignal, error: unknown): RelightError | null {
  for (const reason of [signal.reason, error]) {
    if (isRelightError(reason, "LAPSED") || isRelightError(reason, "SUPERSEDED")) return reason;
  }
  return null;
}

/**
 * Renews at a third of the lease, and aborts the work the moment that it cannot be counted on any more.
 * @param asked when it was claimed: what was granted is counted from then, never from when the answer came
 */
function keepAlive(
  client: RecordsClient,
  record: string,
  field: string,
  leaseSeconds: number,
  asked: number,
  stop: AbortSignal | undefined,
) {
  const lost = new AbortController();
  const leaseMs = leaseSeconds * 1000;
  const thirdMs = leaseMs / 3;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let renewing: Promise<void> = Promise.resolve();
  let ended = false;
  let until = asked + leaseMs;

  const renew = async () => {
    const now = Date.now();
    try {
      // Whoever wakes up too late asks all the same, since the answer says what became of the lease.
      await within(until > now ? until - now : thirdMs, client.renew(record, field));
      until = now + leaseMs;
    } catch (error) {
      const refused = isRelightError(error) && error.code !== "UNAVAILABLE";
      // No answer is no refusal; but a lease that was not renewed in time must be taken for lost.
      if (refused) lost.abort(error);
      else if (Date.now() >= until) {
        lost.abort(new RelightError("LAPSED", `The lease on ${record} could not be renewed in time.`));
      }
    }
    schedule();
  };
  const schedule = () => {
    if (ended || lost.signal.aborted) return;
    const left = Math.max(0, until - Date.now());
    timer = setTimeout(
      () => {
        renewing = renew();
      },
      Math.min(thirdMs, left),
    );
  };
  schedule();
  const abort = () => lost.abort(stop?.reason);
  if (stop?.aborted) abort();
  stop?.addEventListener("abort", abort);

  return {
    signal: lost.signal,
    /** Renews no more, before the last thing that is done with the lease. */
    async end(last: () => Promise<unknown> = async () => {}): Promise<void> {
      ended = true;
      clearTimeout(timer);
      stop?.removeEventListener("abort", abort);
      await renewing;
      await last();
    },
  };
}

/** @throws UNAVAILABLE if it takes longer: a wire that went dead says nothing, ever */
async function within(ms: number, answer: Promise<unknown>): Promise<void> {
  const answered = new AbortController();
  const silence = pause(ms, answered.signal).then(() => {
    throw new RelightError("UNAVAILABLE", `No answer came in ${Math.round(ms)} ms.`);
  });
  try {
    await Promise.race([answer, silence]);
  } finally {
    answered.abort();
  }
}
