/**
 * The one lease primitive, for runtimes, agents and records: pure decisions over one row, made inside the store's
 * transaction. Each claim that is not a renewal gets a new fencing token (`fence`), which only ever grows; whoever writes
 * names it, so a holder that was displaced is refused whatever it still believes.
 *
 * Two kinds. A lease with a ttl is live until it expires. A lease of a process on this machine has none: it ends by
 * release, or by proof that the process is dead.
 */
import { RelightError } from "../errors";

/** A process, proven by more than its pid: pids come again. */
export interface ProcessId {
  pid: number;
  /** What tells this process from a later one with its pid; see `birthOf`. */
  birth: string;
}

export interface Lease {
  resource: string;
  fence: number;
  holder: string;
  /** Milliseconds; null: the lease of a process. */
  ttlMs: number | null;
  /** Epoch milliseconds; null: it does not expire. */
  expiresAt: number | null;
  process: ProcessId | null;
  /** `open` until it is given up, or its process is proven dead. A lapsed lease stays `open`: nothing sweeps. */
  status: "open" | "released" | "dead";
}

export interface ClaimRequest {
  resource: string;
  holder: string;
  ttlMs?: number;
  process?: ProcessId;
  /** The fence of one's own live lease: renews it instead. */
  fence?: number;
}

/** Where a claim displaced an owner: who that was. */
export interface Displaced {
  holder: string;
  fence: number;
  process: ProcessId | null;
}

/** The one liveness predicate: for claims, renewals, writes and the screen. */
export function isLive(lease: Lease, now: number): boolean {
  return lease.status === "open" && (lease.expiresAt === null || now < lease.expiresAt);
}

/**
 * Claims a resource.
 * @throws HELD by a live holder (details: `holder`, `process`, `fence`, `remainingMs`)
 */
export function claim(
  lease: Lease | null,
  request: ClaimRequest,
  now: number,
): { lease: Lease; displaced: Displaced | null } {
  if (lease && isLive(lease, now)) {
    const own = lease.holder === request.holder && lease.fence === request.fence;
    if (own) return { lease: renewed(lease, now, request.ttlMs), displaced: null };
    throw new RelightError("HELD", `${request.resource} is held by ${lease.holder}.`, {
      holder: lease.holder,
      process: lease.process,
      fence: lease.fence,
      remainingMs: lease.expiresAt === null ? null : lease.expiresAt - now,
    });
  }
  // Of two processes with one pid, the birth tells that they are two.
  const same = lease?.holder === request.holder && lease.process?.birth === request.process?.birth;
  const displaced =
    lease && lease.status !== "released" && !same
      ? { holder: lease.holder, fence: lease.fence, process: lease.process }
      : null;
  const ttlMs = request.ttlMs ?? null;
  return {
    displaced,
    lease: {
      resource: request.resource,
      fence: (lease?.fence ?? 0) + 1,
      holder: request.holder,
      ttlMs,
      expiresAt: ttlMs === null ? null : now + ttlMs,
      process: request.process ?? null,
      status: "open",
    },
  };
}

/**
 * The lease, if `fence` is its fence and it is live: what every write of a holder is checked against.
 * @throws SUPERSEDED somebody else has it, or had it since; LAPSED nobody took over, but it is over
 */
export function prove(lease: Lease | null, resource: string, fence: number, now: number): Lease {
  if (!lease || lease.fence !== fence) {
    const owner = lease ? `${lease.holder} with fence ${lease.fence}` : "nobody";
    throw new RelightError(
      "SUPERSEDED",
      `${resource} is not held with fence ${fence}: its owner is ${owner}.`,
      {
        holder: lease?.holder ?? null,
        fence: lease?.fence ?? 0,
      },
    );
  }
  if (!isLive(lease, now)) {
    throw new RelightError("LAPSED", `The lease on ${resource} with fence ${fence} is over.`, { fence });
  }
  return lease;
}

/** Renews for the ttl that was granted; never shortens. @throws LAPSED, SUPERSEDED */
export function renew(lease: Lease | null, resource: string, fence: number, now: number): Lease {
  return renewed(prove(lease, resource, fence, now), now);
}

/** Gives a lease up: the next claim is plain, no takeover. @throws LAPSED, SUPERSEDED */
export function release(lease: Lease | null, resource: string, fence: number, now: number): Lease {
  return { ...prove(lease, resource, fence, now), status: "released" };
}

/** Ends a lease whose process is proven dead: the next claim is a takeover. @throws LAPSED, SUPERSEDED */
export function bury(lease: Lease | null, resource: string, fence: number, now: number): Lease {
  return { ...prove(lease, resource, fence, now), status: "dead" };
}

function renewed(lease: Lease, now: number, askedTtlMs?: number): Lease {
  const ttlMs = Math.max(lease.ttlMs ?? 0, askedTtlMs ?? 0);
  if (lease.expiresAt === null) return lease;
  return { ...lease, ttlMs, expiresAt: Math.max(lease.expiresAt, now + ttlMs) };
}
