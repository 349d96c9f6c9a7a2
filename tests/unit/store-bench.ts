/** Two connections to a fresh log, for each test of the store's contract. */
import { afterEach, beforeEach } from "vitest";
import { type ClaimRequest, claim, prove, release } from "../../lib/leases";
import type { Draft } from "../../lib/log/event";
import type { LeaseStep, Store } from "../../lib/store";

/** A place for one log. */
export interface Place {
  /** Opens it: the first call makes the log, each further one is another connection to it. */
  open(): Store;
  /** Closes every connection that is open, and removes it. */
  remove(): void;
}

export interface PlaceOptions {
  /** The last cursor given before the log begins. */
  after: number;
  /** Epoch milliseconds: the clock of every connection. */
  now: () => number;
}

interface Bench {
  clock: number;
  store: Store;
  other: Store;
}

/** The last cursor before each log begins. */
export const BASE = 40;
export const AGENT = "acme/@maria/shop";
export const LEASE = `agent:${AGENT}`;

/** Fills the bench before each test of the block that it is called in. */
export function freshBench(place: (options: PlaceOptions) => Place): Bench {
  const bench = {} as Bench;
  let here: Place | undefined;
  beforeEach(() => {
    bench.clock = Date.UTC(2030, 0, 1);
    here = place({ after: BASE, now: () => bench.clock });
    bench.store = here.open();
    bench.other = here.open();
  });
  afterEach(() => here?.remove());
  return bench;
}

export const note = (text: string, subject = AGENT): Draft => ({
  type: "relight.note",
  subject,
  data: { text },
});
export const notes = (...texts: string[]): Draft[] => texts.map((text) => note(text));
export const textsOf = (events: { data: unknown }[]): string[] =>
  events.map(({ data }) => (data as { text: string }).text);

export const claimed = (request: Partial<ClaimRequest> = {}): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) =>
    claim(lease, { resource: LEASE, holder: "one", ttlMs: 1000, ...request }, now).lease,
});
export const proven = (fence: number): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) => prove(lease, LEASE, fence, now),
});
export const released = (fence: number): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) => release(lease, LEASE, fence, now),
});
