import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isRelightError } from "../../lib/errors";
import {
  bury,
  type ClaimRequest,
  claim,
  type Displaced,
  isLive,
  type Lease,
  prove,
  release,
  renew,
} from "../../lib/leases";
import { refusal } from "./refusal";

const R = "record:incidents/inc-111/remediation";
const NOW = Date.UTC(2030, 0, 1);
const SECOND = 1000;
const HOUR = 3_600_000;

const claimAs = (holder: string, lease: Lease | null, now: number, more: Partial<ClaimRequest> = {}) =>
  claim(lease, { resource: R, holder, ttlMs: 3 * SECOND, ...more }, now);
const ofOne = (): Lease => claimAs("one", null, NOW).lease;
const ofProcess = (): Lease =>
  claim(null, { resource: R, holder: "pid 7", process: { pid: 7, birth: "then" } }, NOW).lease;

describe("claiming", () => {
  test("what is free gives the first fence and no takeover", () => {
    const { lease, displaced } = claimAs("one", null, NOW);
    expect(lease).toMatchObject({ fence: 1, holder: "one", expiresAt: NOW + 3 * SECOND, status: "open" });
    expect(displaced).toBeNull();
  });

  test("what is held is refused, with the holder and the time that is left", () => {
    const error = refusal(() => claimAs("two", ofOne(), NOW + SECOND));
    expect(error).toMatchObject({
      code: "HELD",
      details: { holder: "one", fence: 1, remainingMs: 2 * SECOND },
    });
    expect(error.message).toContain("one");
  });

  test("again by the holder who shows its fence renews: same fence, later end", () => {
    const { lease, displaced } = claimAs("one", ofOne(), NOW + SECOND, { fence: 1 });
    expect(lease).toMatchObject({ fence: 1, expiresAt: NOW + 4 * SECOND });
    expect(displaced).toBeNull();
  });

  test.each([
    ["without a fence: two processes with one key are two holders", "one", undefined],
    ["with a wrong fence", "one", 2],
    ["by somebody else who knows the fence", "two", 1],
  ])("again %s is HELD", (_, holder, fence) => {
    expect(refusal(() => claimAs(holder, ofOne(), NOW + SECOND, { fence })).code).toBe("HELD");
  });

  test("after lapse displaces an owner who is another", () => {
    const { lease, displaced } = claimAs("two", ofOne(), NOW + 3 * SECOND);
    expect(lease).toMatchObject({ fence: 2, holder: "two" });
    expect(displaced).toEqual({ holder: "one", fence: 1, process: null } satisfies Displaced);
  });

  test("after lapse by the same owner gives a new fence, and is no takeover", () => {
    const { lease, displaced } = claimAs("one", ofOne(), NOW + 3 * SECOND, { fence: 1 });
    expect(lease).toMatchObject({ fence: 2, holder: "one" });
    expect(displaced).toBeNull();
  });

  test("after release is plain, and the fence still grows", () => {
    const { lease, displaced } = claimAs("two", release(ofOne(), R, 1, NOW), NOW);
    expect(lease).toMatchObject({ fence: 2, holder: "two", status: "open" });
    expect(displaced).toBeNull();
  });

  test("after the owner's process was proven dead displaces it, and says which process that was", () => {
    const request = { resource: R, holder: "pid 8", process: { pid: 8, birth: "now" } };
    const { lease, displaced } = claim(bury(ofProcess(), R, 1, NOW), request, NOW);
    expect(displaced).toEqual({ holder: "pid 7", fence: 1, process: { pid: 7, birth: "then" } });
    expect(lease).toMatchObject({ fence: 2, process: { pid: 8, birth: "now" } });
  });
});

describe("a lease", () => {
  test("with a ttl is live until it expires, not at that moment", () => {
    expect(isLive(ofOne(), NOW + 3 * SECOND - 1)).toBe(true);
    expect(isLive(ofOne(), NOW + 3 * SECOND)).toBe(false);
  });

  test("of a process never expires: a laptop that slept loses nothing", () => {
    const later = NOW + 1000 * HOUR;
    expect(prove(ofProcess(), R, 1, later)).toEqual(ofProcess());
    expect(renew(ofProcess(), R, 1, later)).toEqual(ofProcess());
    const request = { resource: R, holder: "pid 8", process: { pid: 8, birth: "now" } };
    expect(refusal(() => claim(ofProcess(), request, later))).toMatchObject({
      code: "HELD",
      details: { process: { pid: 7 }, remainingMs: null },
    });
  });

  test("renews for the ttl that was granted", () => {
    expect(renew(ofOne(), R, 1, NOW + 2 * SECOND).expiresAt).toBe(NOW + 5 * SECOND);
  });

  test("is never shortened: not by an earlier clock, not by a shorter claim", () => {
    const { expiresAt } = ofOne();
    expect(renew(ofOne(), R, 1, NOW - HOUR).expiresAt).toBe(expiresAt);
    const again = claimAs("one", ofOne(), NOW + SECOND, { fence: 1, ttlMs: 1 }).lease;
    expect(again.expiresAt).toBe(NOW + 4 * SECOND);
  });

  const afterwards = { prove, renew, release, bury };
  test.each(Object.entries(afterwards))("%s: LAPSED for who let it lapse or gave it up", (_, decide) => {
    expect(refusal(() => decide(ofOne(), R, 1, NOW + 3 * SECOND)).code).toBe("LAPSED");
    expect(refusal(() => decide(release(ofOne(), R, 1, NOW), R, 1, NOW)).code).toBe("LAPSED");
    expect(refusal(() => decide(bury(ofOne(), R, 1, NOW), R, 1, NOW)).code).toBe("LAPSED");
  });

  test.each(Object.entries(afterwards))(
    "%s: SUPERSEDED for who was displaced, naming the new owner",
    (_, decide) => {
      const taken = claimAs("two", ofOne(), NOW + 3 * SECOND).lease;
      const error = refusal(() => decide(taken, R, 1, NOW + 3 * SECOND));
      expect(error).toMatchObject({ code: "SUPERSEDED", details: { holder: "two", fence: 2 } });
      // Also when the new owner is gone again: the old one lost it for good.
      expect(refusal(() => decide(taken, R, 1, NOW + HOUR)).code).toBe("SUPERSEDED");
    },
  );

  test.each(Object.entries(afterwards))("%s: SUPERSEDED where nobody ever claimed", (_, decide) => {
    expect(refusal(() => decide(null, R, 1, NOW)).code).toBe("SUPERSEDED");
  });

  test("has one holder when the clock jumps an hour ahead and back", () => {
    const ahead = claimAs("two", ofOne(), NOW + HOUR).lease;
    // Back in the old hour the first lease would not have lapsed yet, but its fence is spent.
    expect(refusal(() => prove(ahead, R, 1, NOW + SECOND)).code).toBe("SUPERSEDED");
    expect(prove(ahead, R, 2, NOW + SECOND).holder).toBe("two");
    expect(refusal(() => claimAs("one", ahead, NOW + SECOND, { fence: 1 })).code).toBe("HELD");
  });
});

describe("three holders and a clock that jumps", () => {
  const holder = fc.nat({ max: 2 });
  const operation = fc.oneof(
    fc.record({
      do: fc.constantFrom("claim", "reclaim", "renew", "release", "bury", "write"),
      holder,
      ttlMs: fc.option(fc.integer({ min: 1, max: 50 }), { nil: undefined }),
    }),
    fc.record({
      do: fc.constant("tick"),
      ms: fc.oneof({ weight: 5, arbitrary: fc.nat({ max: 60 }) }, fc.constantFrom(HOUR, -HOUR)),
    }),
  );

  test("never have two who can write, and fences only grow", () => {
    const property = fc.property(fc.array(operation, { maxLength: 60 }), (operations) => {
      const row: { lease: Lease | null } = { lease: null };
      // What each holder believes: the fence that it was given last, whatever happened since.
      const believes = [0, 0, 0];
      let now = NOW;
      let lastWritten = 0;

      for (const operation of operations) {
        const fenceBefore = row.lease?.fence ?? 0;
        if ("ms" in operation) now += operation.ms;
        else {
          const { do: what, holder: who, ttlMs } = operation;
          const fence = believes[who] ?? 0;
          const decide = (lease: Lease | null): Lease => {
            if (what === "claim") return claimAs(`holder ${who}`, lease, now, { ttlMs }).lease;
            if (what === "reclaim") return claimAs(`holder ${who}`, lease, now, { ttlMs, fence }).lease;
            const decisions: Record<string, typeof prove> = { renew, release, bury };
            return (decisions[what] ?? prove)(lease, R, fence, now);
          };
          if (succeeds(() => (row.lease = decide(row.lease)))) {
            if (what.endsWith("claim")) believes[who] = row.lease?.fence ?? 0;
            // Whoever reads what was written sees fences in order: a late writer is always refused.
            if (what === "write") expect(fence).toBeGreaterThanOrEqual(lastWritten);
            if (what === "write") lastWritten = fence;
          }
        }
        const writers = believes.filter((fence) => succeeds(() => prove(row.lease, R, fence, now)));
        expect(writers.length).toBeLessThanOrEqual(1);
        expect(row.lease?.fence ?? 0).toBeGreaterThanOrEqual(fenceBefore);
      }
    });
    fc.assert(property, { numRuns: 500 });
  });
});

/** Whether it is done; a refusal is a no, and anything else that is thrown a failure. */
function succeeds(work: () => unknown): boolean {
  try {
    work();
    return true;
  } catch (error) {
    if (isRelightError(error)) return false;
    throw error;
  }
}
