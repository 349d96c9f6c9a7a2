/** Who may write a task field: whoever holds its lease, and nobody else, whatever they believe. */
import { describe, expect, test } from "vitest";
import type { Records } from "../../lib/records/records";
import { FIELD, freshBench, HOUR, RECORD, SECOND, typesOf, WHOLE } from "./record-bench";

const bench = freshBench();
const ONE = "remediator/worker-1";
const TWO = "remediator/worker-2";

const claim = (by: Records, fence?: number, leaseSeconds = 3) =>
  by.claim(RECORD, FIELD, { leaseSeconds, fence });

/** Everything that takes a live lease. */
const underLease = {
  write: (by: Records, fence: number) => by.write(RECORD, FIELD, { value: "mine", fence }),
  renew: (by: Records, fence: number) => by.renew(RECORD, FIELD, { fence }),
  release: (by: Records, fence: number) => by.release(RECORD, FIELD, { fence }),
  checkpoint: (by: Records, fence: number) =>
    by.saveCheckpoint(RECORD, { document: WHOLE, field: FIELD, fence }),
};
const requests = Object.entries(underLease);

const stored = async () => ({
  history: await bench.history(),
  record: await bench.owner.read(RECORD),
  checkpoint: await bench.as(ONE).loadCheckpoint(RECORD),
});

/** It is refused with the code, and nothing of it is stored. */
async function refused(code: string, request: () => Promise<unknown>, details = {}): Promise<void> {
  const before = await stored();
  await expect(request()).rejects.toMatchObject({ name: "RelightError", code, details });
  expect(await stored()).toEqual(before);
}

describe.each(requests)("%s under a lease", (_, request) => {
  test("that is alive is done", async () => {
    const { fence } = await claim(bench.as(ONE));
    await expect(request(bench.as(ONE), fence)).resolves.toBeTruthy();
  });

  test("that lapsed, while nobody took over, is LAPSED", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    await refused("LAPSED", () => request(bench.as(ONE), fence));
  });

  test("that one gave up is LAPSED", async () => {
    const { fence } = await claim(bench.as(ONE));
    await bench.as(ONE).release(RECORD, FIELD, { fence });
    await refused("LAPSED", () => request(bench.as(ONE), fence));
  });

  test("that somebody took over is SUPERSEDED, and says by whom", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    await claim(bench.elsewhere(TWO));
    await refused("SUPERSEDED", () => request(bench.as(ONE), fence), { owner: `apikey:${TWO}`, fence: 2 });
  });

  test("that somebody took over and let lapse as well is SUPERSEDED: it is lost for good", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    await claim(bench.as(TWO));
    bench.clock += HOUR;
    await refused("SUPERSEDED", () => request(bench.as(ONE), fence));
  });

  test("that another process with the same key has by now is SUPERSEDED", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    await claim(bench.elsewhere(ONE));
    await refused("SUPERSEDED", () => request(bench.as(ONE), fence), { owner: `apikey:${ONE}`, fence: 2 });
  });

  test("of somebody else, whose fence was guessed, is SUPERSEDED", async () => {
    const { fence } = await claim(bench.as(ONE));
    await refused("SUPERSEDED", () => request(bench.as(TWO), fence), { owner: `apikey:${ONE}`, fence });
  });

  test("that nobody ever claimed is SUPERSEDED", async () => {
    await refused("SUPERSEDED", () => request(bench.as(ONE), 1));
  });
});

describe("claiming", () => {
  test("again with one's fence keeps it: the same fence, a later end, and nothing in the log", async () => {
    const { fence } = await claim(bench.as(ONE));
    const before = await bench.history();
    bench.clock += 2 * SECOND;
    expect(await claim(bench.as(ONE), fence)).toMatchObject({ fence, remainingMs: 3 * SECOND });
    expect(await bench.history()).toEqual(before);
    expect((await bench.owner.read(RECORD)).fields[FIELD]?.lease).toMatchObject({
      fence,
      remainingMs: 3 * SECOND,
    });
  });

  test("without a fence, by a second process with the same key, is HELD", async () => {
    await claim(bench.as(ONE));
    bench.clock += SECOND;
    await expect(claim(bench.elsewhere(ONE))).rejects.toMatchObject({
      code: "HELD",
      details: { owner: `apikey:${ONE}`, fence: 1, remainingMs: 2 * SECOND },
    });
  });

  test("with the guessed fence of somebody else is HELD", async () => {
    const { fence } = await claim(bench.as(ONE));
    await expect(claim(bench.as(TWO), fence)).rejects.toMatchObject({
      code: "HELD",
      details: { owner: `apikey:${ONE}`, fence, remainingMs: 3 * SECOND },
    });
  });

  test("what was released is plain, and the fence still grows", async () => {
    const { fence } = await claim(bench.as(ONE));
    await bench.as(ONE).release(RECORD, FIELD, { fence });
    const next = await claim(bench.elsewhere(TWO));
    expect(next).toMatchObject({ owner: `apikey:${TWO}`, fence: 2, remainingMs: 3 * SECOND });
    expect(next).not.toHaveProperty("tookOverFrom");
    expect(typesOf(await bench.history()).slice(1)).toEqual([
      "field.claimed",
      "field.released",
      "field.claimed",
    ]);
  });

  test("what somebody let lapse is a takeover that names both owners and both fences", async () => {
    await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    const displaced = { tookOverFrom: `apikey:${ONE}`, tookOverFence: 1 };
    const { cursor, ...next } = await claim(bench.elsewhere(TWO));
    expect(next).toEqual({ owner: `apikey:${TWO}`, fence: 2, remainingMs: 3 * SECOND, ...displaced });
    const last = (await bench.history()).at(-1);
    expect(last).toMatchObject({
      sequence: cursor,
      type: "relight.field.taken_over",
      data: { field: FIELD, by: `apikey:${TWO}`, fence: 2, ...displaced },
    });
  });

  test("one's own lapsed lease gives a new fence, and is no takeover", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += 3 * SECOND;
    const next = await claim(bench.as(ONE), fence);
    expect(next).toMatchObject({ fence: 2 });
    expect(next).not.toHaveProperty("tookOverFrom");
    expect(typesOf(await bench.history()).slice(1)).toEqual(["field.claimed", "field.claimed"]);
  });
});

describe("refused claims", () => {
  const refusals = async () =>
    (await bench.history())
      .filter(({ type }) => type === "relight.field.claim_refused")
      .map(({ data }) => data);
  const ask = (by: Records) => expect(claim(by)).rejects.toMatchObject({ code: "HELD" });

  test("are in the log once for each who was refused and each fence, however often they ask", async () => {
    await claim(bench.as(ONE));
    for (let time = 0; time < 3; time++) {
      await ask(bench.as(TWO));
      await ask(bench.elsewhere(TWO));
      await ask(bench.elsewhere(ONE));
      bench.clock += 100;
    }
    const under = (fence: number, owner: string, by: string) => ({
      field: FIELD,
      owner: `apikey:${owner}`,
      fence,
      by: `apikey:${by}`,
    });
    expect(await refusals()).toMatchObject([under(1, ONE, TWO), under(1, ONE, ONE)]);
    bench.clock += HOUR;
    await claim(bench.as(TWO));
    await ask(bench.as(ONE));
    await ask(bench.as(ONE));
    expect((await refusals()).slice(2)).toMatchObject([under(2, TWO, ONE)]);
  });

  test("change nothing else: not the record's version, not the lease", async () => {
    await claim(bench.as(ONE));
    const before = await bench.owner.read(RECORD);
    await ask(bench.as(TWO));
    expect(await bench.owner.read(RECORD)).toEqual(before);
  });
});

describe("a lease on the screen", () => {
  const lease = async () => (await bench.owner.read(RECORD)).fields[FIELD]?.lease;

  test("is held while it is alive, then lapsed until somebody claims, and gone when it was given up", async () => {
    expect(await lease()).toBeUndefined();
    await claim(bench.as(ONE));
    bench.clock += SECOND;
    expect(await lease()).toEqual({
      owner: `apikey:${ONE}`,
      fence: 1,
      remainingMs: 2 * SECOND,
      state: "held",
    });
    bench.clock += HOUR;
    expect(await lease()).toEqual({ owner: `apikey:${ONE}`, fence: 1, remainingMs: 0, state: "lapsed" });
    const { fence } = await claim(bench.as(TWO));
    await bench.as(TWO).release(RECORD, FIELD, { fence });
    expect(await lease()).toBeUndefined();
  });
});

describe("the wall clock is stepped in the middle of a lease", () => {
  const holders = async (fences: Record<string, number>) => {
    const alive = Object.entries(fences).map(async ([name, fence]) =>
      underLease.write(bench.as(name), fence).then(
        () => name,
        () => null,
      ),
    );
    return (await Promise.all(alive)).filter((name) => name !== null);
  };

  test("an hour ahead: it has lapsed, its holder reads LAPSED, and the next one is alone", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock += HOUR;
    await refused("LAPSED", () => underLease.renew(bench.as(ONE), fence));
    const next = await claim(bench.as(TWO));
    expect(await holders({ [ONE]: fence, [TWO]: next.fence })).toEqual([TWO]);
    // And back again: in the old hour the first lease would not be over, but its fence is spent.
    bench.clock -= HOUR;
    expect(await holders({ [ONE]: fence, [TWO]: next.fence })).toEqual([TWO]);
    await expect(claim(bench.as(ONE), fence)).rejects.toMatchObject({ code: "HELD" });
  });

  test("an hour back: it is held that much longer and no more, and its holder is not shut out", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock -= HOUR;
    await expect(claim(bench.as(TWO))).rejects.toMatchObject({
      code: "HELD",
      details: { remainingMs: HOUR + 3 * SECOND },
    });
    expect(await bench.as(ONE).renew(RECORD, FIELD, { fence })).toMatchObject({
      remainingMs: HOUR + 3 * SECOND,
    });
    expect(await holders({ [ONE]: fence, [TWO]: fence + 1 })).toEqual([ONE]);
    bench.clock += HOUR + 3 * SECOND;
    expect((await claim(bench.as(TWO))).fence).toBe(fence + 1);
    expect(await holders({ [ONE]: fence, [TWO]: fence + 1 })).toEqual([TWO]);
  });

  test("an hour back: its holder can give it up, and the next one need not wait", async () => {
    const { fence } = await claim(bench.as(ONE));
    bench.clock -= HOUR;
    await bench.as(ONE).release(RECORD, FIELD, { fence });
    expect(await claim(bench.as(TWO))).toMatchObject({ fence: 2, remainingMs: 3 * SECOND });
  });
});
