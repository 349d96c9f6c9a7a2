/**
 * The one runtime lease of a directory. Whoever holds it may run agents there; a second server is refused. A server
 * that died is displaced, on proof, and whatever it left running is killed before anybody waits for it.
 */
import { crashPoint } from "../crash-point";
import { isRelightError, RelightError } from "../errors";
import type { Registry } from "../leases";
import { bury, claim, type Displaced, isAlive, type Lease, release, self } from "../leases";
import type { Draft } from "../log/event";
import type { Store } from "../store";
import type { RuntimeEvent } from "./events";
import { holderOf, leaseOf, RUNTIME } from "./ipc";

/** What one holds, and where the log says since when. */
export interface Office {
  fence: number;
  cursor: number;
}

export interface OfficeOptions {
  /** Writes no event. */
  quiet?: boolean;
  /** A fence that this process holds, and has no runtime for: its runtime could not give it up. */
  abandoned?: number | null;
}

const subjectOf = (runtime: string): string => `runtime:${runtime}`;

/**
 * @throws HELD by a live server, naming its pid
 */
export async function takeOffice(
  store: Store,
  registry: Registry,
  runtime: string,
  { quiet = false, abandoned = null }: OfficeOptions = {},
): Promise<Office> {
  const held = await store.lease(RUNTIME);
  const me = self();
  // A fence is a number of its own directory: only a lease that this very process holds can be one it left open.
  const mine = ({ fence, process: holder }: Lease) =>
    fence === abandoned && holder?.pid === me.pid && holder.birth === me.birth;
  const given = (lease: Lease) => mine(lease) || (lease.process && !isAlive(lease.process));
  const dead = held?.status === "open" && given(held) ? held : null;
  // A frozen process may hold the write lock: what the dead server left is killed before anybody waits for the lock.
  if (dead) await registry.killAll();

  crashPoint("before-runtime-started");
  let displaced: Displaced | null = null;
  const decide = (before: Lease | null, now: number): Lease => {
    const free = dead && before?.fence === dead.fence ? bury(before, RUNTIME, dead.fence, now) : before;
    const request = { resource: RUNTIME, holder: holderOf(process.pid), process: self() };
    const claimed = claim(free, request, now);
    displaced = claimed.displaced;
    return claimed.lease;
  };
  const started = (): Draft<RuntimeEvent>[] => {
    const tookOverFrom = displaced && { pid: displaced.process?.pid ?? 0 };
    const data = { runtime, pid: process.pid, ...(tookOverFrom && { tookOverFrom }) };
    return [{ type: "relight.runtime.started", subject: subjectOf(runtime), data }];
  };
  try {
    const { leases, cursor } = await store.commit({
      subject: subjectOf(runtime),
      leases: [{ resource: RUNTIME, decide }],
      // A reset that was cut short retired this log and put none in its place: it goes on.
      revives: true,
      events: quiet ? [] : started,
    });
    return { fence: leases[0]?.fence ?? 0, cursor };
  } catch (error) {
    if (!isRelightError(error, "HELD")) throw error;
    const message = `Another server (${error.details.holder}) runs the agents of this directory.`;
    throw new RelightError("HELD", message, error.details);
  }
}

/** Gives the directory up. @returns the cursor of `runtime.stopped` */
export async function leaveOffice(store: Store, runtime: string, fence: number): Promise<number> {
  const data = { runtime, pid: process.pid };
  const stopped: Draft<RuntimeEvent> = { type: "relight.runtime.stopped", subject: subjectOf(runtime), data };
  const { cursor } = await store.commit({
    subject: subjectOf(runtime),
    leases: [{ resource: RUNTIME, decide: (lease, now) => release(lease, RUNTIME, fence, now) }],
    events: [stopped],
  });
  return cursor;
}

/** The leases of agents' processes that nobody gave up. */
export async function agentLeases(store: Store): Promise<Lease[]> {
  return (await store.openLeases()).filter(({ resource }) => resource.startsWith(leaseOf("")));
}
