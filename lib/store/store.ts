/**
 * The store: whole, atomic, durable operations that return promises, so that another engine can stand behind it.
 * `tests/unit/store-contract.ts` runs against any implementation. What it knows nothing of: agents, tools, HTTP.
 */
import type { Lease } from "../leases/lease";
import type { Draft, Envelope, Page } from "../log/event";

/** Decides over one lease, inside the transaction. Pure; what it throws undoes the whole commit. */
export interface LeaseStep {
  resource: string;
  decide: (lease: Lease | null, now: number) => Lease;
}

/** One step: its events, leases and projections are written together, or not at all. */
export interface Commit {
  subject: string;
  /** The position of the subject that this was decided from. If it moved: BEHIND, and nothing is written. */
  position?: number;
  leases?: LeaseStep[];
  /** The events, or how to make them from the leases as they are after their steps. */
  events: Draft[] | ((leases: Lease[]) => Draft[]);
  /** Takes a retired log into use again. */
  revives?: boolean;
  /** Does the subject have work left after this? Left as it was where not given. */
  unfinished?: boolean;
}

export interface Committed<E extends Envelope = Envelope> {
  log: string;
  /** The position of the last event of this commit; of the subject, if it had none. */
  cursor: number;
  events: E[];
  leases: Lease[];
}

/** A subject of the log, as its projection has it. */
export interface Subject {
  subject: string;
  position: number;
  unfinished: boolean;
}

export interface ReadOptions {
  /** Exclusive; 0 unless given. */
  after?: number;
  /** At most so many events. */
  limit: number;
  subject?: string;
}

export interface Store {
  /** The log's id. Another log is another id, even at the same address. */
  readonly log: string;
  /** The last cursor that was given before this log began; 0 for the first one. */
  readonly base: number;
  /** Epoch milliseconds, by the clock that leases are judged with. */
  readonly now: () => number;
  /** Makes a step durable. @throws BEHIND; what a lease step throws; RESET if it is retired; UNAVAILABLE */
  commit<E extends Envelope = Envelope>(commit: Commit): Promise<Committed<E>>;
  /** Reads on from a cursor. A reader that has seen N never later finds a smaller one. @throws UNAVAILABLE */
  read<E extends Envelope = Envelope>(options: ReadOptions): Promise<Page<E>>;
  /** The cursor of the last event; of an empty log, the last one given before it. */
  head(): Promise<number>;
  /** A lease as it stands, whoever holds it; null if nobody ever claimed it. */
  lease(resource: string): Promise<Lease | null>;
  /** All leases that nobody gave up, of live and dead owners alike. */
  openLeases(): Promise<Lease[]>;
  /** Everything that the log has events of. */
  subjects(): Promise<Subject[]>;
  /** Calls `changed` soon after any process committed. @returns how to end it */
  watch(changed: () => void): () => void;
  /** Refuses every commit from now on (or no more), in every process that has it open: for a log that is replaced. */
  retire(retired: boolean): Promise<void>;
  /** Ends the connection: whatever is asked of it from now on is UNAVAILABLE. */
  close(): void;
}
