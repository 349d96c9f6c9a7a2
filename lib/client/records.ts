/** Records over HTTP, for whoever holds a key: workers, cells, scripts. */
import { isRelightError, RelightError } from "../errors";
import { pause } from "../pause";
import type { Document, RecordEvent } from "../records/events";
import type { Claimed } from "../records/records";
import type { RecordView, Resumption } from "../records/view";
import type { Http } from "./http";

type Cursor = { cursor: number };

/** A claim that succeeded. */
export type Held = Claimed;

export interface HistoryPage extends Cursor {
  rows: RecordEvent[];
  more: boolean;
}

/**
 * A record is named `incidents/inc-111`. The client remembers the fences of its claims, and shows them where one is
 * needed and none is given.
 */
export class RecordsClient {
  readonly #http: Http;
  readonly #fences = new Map<string, { field: string; fence: number }[]>();

  constructor(http: Http) {
    this.#http = http;
  }

  async list(className: string): Promise<{ id: string; version: number }[]> {
    const { records } = await this.#http.get<{ records: { id: string; version: number }[] }>(
      `/records/${encodeURIComponent(className)}`,
    );
    return records;
  }

  /** @throws CONFLICT if it exists */
  create(record: string, fields?: Record<string, unknown>): Promise<RecordView & Cursor> {
    return this.#http.put(pathOf(record), { fields });
  }

  get(record: string): Promise<RecordView> {
    return this.#http.get(pathOf(record));
  }

  /**
   * Writes a value field; or a task field, under one's live lease.
   * @throws CONFLICT if `ifVersion` is not the field's version; LAPSED, SUPERSEDED
   */
  write(
    record: string,
    field: string,
    value: unknown,
    options: { evidence?: string; ifVersion?: number; fence?: number } = {},
  ): Promise<{ version: number } & Cursor> {
    const fence = options.fence ?? this.#claimOf(record, field)?.fence;
    return this.#http.put(pathOf(record, "fields", field), { value, ...options, fence });
  }

  /** Adds an entry; sent again with the same key, it is one entry. */
  append(
    record: string,
    field: string,
    entry: unknown,
    { evidence, key = crypto.randomUUID() as string }: { evidence?: string; key?: string } = {},
  ): Promise<{ entryId: string; version: number } & Cursor> {
    return insistently(() =>
      this.#http.post(pathOf(record, "fields", field, "append"), { entry, evidence, key }),
    );
  }

  /**
   * Claims a task field for so many seconds; with the `fence` of one's live lease, renews it.
   * @throws HELD by a live owner (details: `owner`, `fence`, `remainingMs`)
   */
  async claim(
    record: string,
    field: string,
    { leaseSeconds, fence }: { leaseSeconds: number; fence?: number },
  ): Promise<Held> {
    const body = { leaseSeconds, fence, key: crypto.randomUUID() as string };
    const path = pathOf(record, "fields", field, "claim");
    const held = await insistently(() => this.#http.post<Held>(path, body));
    this.#forget(record, field);
    this.#fences.set(record, [...(this.#fences.get(record) ?? []), { field, fence: held.fence }]);
    return held;
  }

  /** Renews for as long as was granted. @throws LAPSED, SUPERSEDED */
  renew(record: string, field: string, fence?: number): Promise<{ fence: number; remainingMs: number }> {
    return this.#http.post(pathOf(record, "fields", field, "renew"), {
      fence: this.#fence(record, field, fence),
    });
  }

  /** Gives the lease up: the next claim is plain, no takeover. @throws LAPSED, SUPERSEDED */
  async release(record: string, field: string, fence?: number): Promise<{ fence: number } & Cursor> {
    const body = { fence: this.#fence(record, field, fence) };
    const answer = await this.#http.post<{ fence: number } & Cursor>(
      pathOf(record, "fields", field, "release"),
      body,
    );
    this.#forget(record, field);
    return answer;
  }

  /**
   * Saves one's own account of the work.
   * @param under the lease that allows it (the one claim of this client on the record, unless given), and the record's
   *   version that was read: what others wrote after it is listed as changed
   * @throws INVALID_CHECKPOINT (details: `missing`); LAPSED, SUPERSEDED
   */
  checkpointSave(
    record: string,
    document: Document,
    under: { field: string; fence: number; readVersion?: number } = this.#onlyClaim(record),
  ): Promise<{ recordVersion: number } & Cursor> {
    return this.#http.put(pathOf(record, "checkpoint"), { document, ...under });
  }

  /** The latest checkpoint of one's role, and what changed since; `document` is null where there is none. */
  checkpointLoad(record: string): Promise<Resumption> {
    return this.#http.get(pathOf(record, "checkpoint"));
  }

  /** What happened to it. */
  history(record: string, { after = 0, limit = 200 } = {}): Promise<HistoryPage> {
    return this.#http.get(`${pathOf(record, "history")}?after=${after}&limit=${limit}`);
  }

  #claimOf(record: string, field: string) {
    return this.#fences.get(record)?.find((claim) => claim.field === field);
  }

  #fence(record: string, field: string, given: number | undefined): number {
    const fence = given ?? this.#claimOf(record, field)?.fence;
    if (fence !== undefined) return fence;
    throw new RelightError(
      "INVALID",
      `${record}: expected a claim of ${field} by this client, or a fence; there is none.`,
    );
  }

  #onlyClaim(record: string) {
    const claims = this.#fences.get(record) ?? [];
    const [claim] = claims;
    if (claim && claims.length === 1) return claim;
    throw new RelightError(
      "INVALID",
      `${record}: expected one claim by this client, or a field and its fence; there are ${claims.length}.`,
    );
  }

  #forget(record: string, field: string): void {
    const others = (this.#fences.get(record) ?? []).filter((claim) => claim.field !== field);
    this.#fences.set(record, others);
  }
}

const TRIES = 4;

/** Sends again what has a key, if no answer came: whether it was done or not, it is done once. */
async function insistently<T>(send: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt === TRIES || !isRelightError(error, "UNAVAILABLE")) throw error;
      await pause(100 * 2 ** attempt);
    }
  }
}

function pathOf(record: string, ...rest: string[]): string {
  const slash = record.indexOf("/");
  if (slash < 1 || slash === record.length - 1) {
    throw new RelightError("INVALID", `record: expected class/id, as in incidents/inc-111; came ${record}.`);
  }
  const parts = [record.slice(0, slash), record.slice(slash + 1), ...rest];
  return `/records/${parts.map(encodeURIComponent).join("/")}`;
}
