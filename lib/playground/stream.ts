/** The live stream of a playground: its log from a cursor on, and the world beside it. */
import { may, PLAYGROUND, type Scope } from "../agents/scope";
import type { Lease } from "../leases";
import type { Envelope } from "../log/event";
import { followPages } from "../log/follow";
import { recordLeases } from "../records/records";
import type { Worker } from "../records/view";
import type { Workers } from "../records/workers";
import type { WorldView } from "../world";
import type { Folder } from "./directory";
import { type Playground, sees } from "./playground";
import type { Speeches, Spoken } from "./speeches";

const WORLD_MS = 50;

export type StreamMessage =
  /** The log that what follows is from, its head, and the last cursor before it. Comes first, and again after a reset. */
  | { is: "log"; log: string; base: number; cursor: number }
  | { is: "event"; event: Envelope }
  /** No event of the log: it has no cursor. */
  | { is: "world"; world: WorldView }
  /** Who holds what of the records now: renewals are not in the log. */
  | { is: "leases"; leases: readonly HeldLease[] }
  | { is: "workers"; workers: readonly Worker[] }
  /** What an agent's model says; `from` is where in the turn's text this stands. */
  | { is: "speech"; speech: Spoken & { from: number } };

/** A lease of a record's field that nobody gave up. It may have lapsed: it is its owner's until somebody claims. */
export interface HeldLease {
  /** `record:incidents/inc-111` */
  record: string;
  field: string;
  owner: string;
  fence: number;
  /** What was granted, in milliseconds. */
  ttlMs: number;
  /** Epoch milliseconds, by this machine's clock. */
  expiresAt: number;
}

type Send = (messages: StreamMessage[]) => Promise<void>;

export interface StreamOptions {
  after: number;
  /** Only the events of this agent or record. */
  subject?: string;
  scope: Scope;
  signal: AbortSignal;
}

/**
 * Sends until the signal aborts or the playground closes; goes on with the new log after a reset.
 * @param send takes what came at once; resolves when the reader is ready for more
 */
export async function stream(
  playground: Playground,
  { after, subject, scope, signal }: StreamOptions,
  send: Send,
): Promise<void> {
  while (!signal.aborted && !playground.closed.aborted) {
    const { folder, swapped } = playground;
    const { store } = folder;
    const here = AbortSignal.any([signal, swapped]);
    await send([{ is: "log", log: store.log, base: store.base, cursor: await store.head() }]);
    if (here.aborted) continue;
    if (!subject && may(scope, "read", PLAYGROUND)) {
      watchWorld(folder, here, send);
      watchLeases(folder, here, send);
      watchWorkers(playground.workers(scope), here, send);
    }
    watchSpeeches(playground.speeches, here, send, (agent) =>
      subject === undefined ? sees(scope, agent) : subject === agent,
    );
    const visible = new Map<string, boolean>();
    const isSeen = ({ subject }: Envelope) => {
      const known = visible.get(subject) ?? sees(scope, subject);
      visible.set(subject, known);
      return known;
    };
    for await (const events of followPages(store, { after, subject, signal: here })) {
      const seen = subject ? events : events.filter(isSeen);
      if (seen.length > 0) await send(seen.map((event) => ({ is: "event", event })));
      after = events.at(-1)?.sequence ?? after;
      // A long log is many pages: others get their turn between them.
      await new Promise(setImmediate);
    }
  }
}

/** The world as it is, and then whenever somebody changed it. */
function watchWorld({ world }: Folder, signal: AbortSignal, send: Send): void {
  let seen: unknown;
  const look = latestOnly(async () => {
    const version = world.version();
    if (version === seen) return;
    await send([{ is: "world", world: await world.view() }]);
    seen = version;
  });
  const looking = setInterval(look, WORLD_MS);
  signal.addEventListener("abort", () => clearInterval(looking));
  look();
}

/** The leases of records, and again whenever one was claimed, renewed or given up. */
function watchLeases({ store }: Folder, signal: AbortSignal, send: Send): void {
  let seen: string | undefined;
  const look = latestOnly(async () => {
    const leases = await recordLeases(store);
    const now = JSON.stringify(leases);
    if (now === seen) return;
    seen = now;
    await send([{ is: "leases", leases: leases.map(heldLease) }]);
  });
  const unwatch = store.watch(look);
  signal.addEventListener("abort", unwatch);
  look();
}

function heldLease({ resource, holder: owner, fence, ttlMs, expiresAt }: Lease): HeldLease {
  const [record = "", field = ""] = resource.split("#");
  return { record, field, owner, fence, ttlMs: ttlMs ?? 0, expiresAt: expiresAt ?? 0 };
}

function watchWorkers(workers: Workers, signal: AbortSignal, send: Send): void {
  const look = latestOnly(() => send([{ is: "workers", workers: workers.list() }]));
  const unwatch = workers.watch(look);
  signal.addEventListener("abort", unwatch);
  if (workers.list().length > 0) look();
}

/** Each turn's text as it comes, from where this reader has it. */
function watchSpeeches(
  speeches: Speeches,
  signal: AbortSignal,
  send: Send,
  wanted: (agent: string) => boolean,
): void {
  const sent = new Map<string, { begun: number; length: number }>();
  const look = async (agent: string) => {
    const spoken = speeches.of(agent);
    if (!spoken) return;
    const before = sent.get(agent);
    const from = before?.begun === spoken.begun ? before.length : 0;
    sent.set(agent, { begun: spoken.begun, length: spoken.text.length });
    await send([{ is: "speech", speech: { ...spoken, from, text: spoken.text.slice(from) } }]);
  };
  const looks = new Map<string, () => void>();
  const hear = (agent: string) => {
    if (!wanted(agent)) return;
    const known = looks.get(agent) ?? latestOnly(() => look(agent));
    looks.set(agent, known);
    known();
  };
  const unwatch = speeches.watch(hear);
  signal.addEventListener("abort", unwatch);
  // Whoever comes while a model speaks hears what it has said so far.
  speeches.agents().forEach(hear);
}

/** For a reader that is slow: it gets things as they are then, not each state of them. */
function latestOnly(look: () => Promise<void>): () => void {
  let [looking, again] = [false, false];
  return function call() {
    again = looking;
    if (looking) return;
    looking = true;
    // A look that fails is one that the next makes up for.
    void look()
      .catch(() => {})
      .finally(() => {
        looking = false;
        if (again) call();
      });
  };
}
