/** What a worker leaves for whoever comes next, and what that one is told of what changed since. */
import { beforeEach, describe, expect, test } from "vitest";
import type { Classes } from "../../lib/records/classes";
import type { Records } from "../../lib/records/records";
import { FIELD, freshBench, RECORD, SECOND, typesOf, WHOLE } from "./record-bench";

const classes: Classes = new Map([
  [
    "repairs",
    {
      fields: {
        work: { mode: "task" as const, roles: ["remediator", "inspector", "helper"] },
        note: { mode: "value" as const, roles: ["diagnoser"] },
      },
      checkpoint: { roles: ["remediator", "inspector"], sections: ["goal"] },
    },
  ],
]);
const bench = freshBench(classes);
const ONE = "remediator/worker-1";
const TWO = "remediator/worker-2";

const claim = (name: string) => bench.as(name).claim(RECORD, FIELD, { leaseSeconds: 3 });
const save = (document: unknown, fence = 1, name = ONE) =>
  bench.as(name).saveCheckpoint(RECORD, { document, field: FIELD, fence });
const load = (name = ONE) => bench.as(name).loadCheckpoint(RECORD);
const plan = (value: unknown, evidence?: string) =>
  bench.as("diagnoser").write(RECORD, "planned_action", { value, evidence });
const act = (entry: unknown, name = ONE) => bench.as(name).append(RECORD, "actions", { entry });

const nested = (depth: number): unknown => {
  let value: unknown = "core";
  for (let level = 0; level < depth; level++) value = { in: value };
  return value;
};
/** A document of exactly so many bytes of JSON. */
const sized = (bytes: number) => {
  const empty = JSON.stringify({ ...WHOLE, progress: "" }).length;
  return { ...WHOLE, progress: "x".repeat(bytes - empty) };
};

describe("a checkpoint that is not whole", () => {
  beforeEach(async () => {
    await claim(ONE);
    await save(WHOLE);
  });
  /** It is refused, and the earlier one is what is loaded. */
  async function refused(document: unknown, refusal: object) {
    const before = [await bench.history(), await load()];
    await expect(save(document)).rejects.toMatchObject({ name: "RelightError", ...refusal });
    expect([await bench.history(), await load()]).toEqual(before);
    expect((await load()).document).toEqual(WHOLE);
  }

  test("is told of every section that is missing, and the earlier one stays", async () => {
    const { goal, progress } = WHOLE;
    const missing = ["decisions", "open_questions"];
    await refused({ goal, progress }, { code: "INVALID_CHECKPOINT", details: { missing } });
  });

  test("has no section that is null", async () => {
    const missing = ["progress"];
    await refused({ ...WHOLE, progress: null }, { code: "INVALID_CHECKPOINT", details: { missing } });
  });

  test.each([
    ["over 256 KiB", () => sized(256 * 1024 + 1), "TOO_LARGE"],
    ["nested 1,000 deep", () => ({ ...WHOLE, more: nested(1000) }), "INVALID"],
    ["a list", () => [WHOLE], "INVALID"],
    ["text", () => JSON.stringify(WHOLE), "INVALID"],
    ["null", () => null, "INVALID"],
    ["none at all", () => undefined, "INVALID"],
  ])("%s is refused, and nothing is cut", async (_, document, code) => {
    await refused(document(), { code });
  });
});

describe("a checkpoint", () => {
  test("comes back as it was: empty text is a section, unknown sections are kept", async () => {
    await claim(ONE);
    const document = { ...WHOLE, progress: "", open_questions: [], theirs: { at: [1, null, "ünïcode 🦊"] } };
    await save(document);
    expect(await load()).toMatchObject({ role: "remediator", document, savedBy: `apikey:${ONE}`, fence: 1 });
  });

  test("may be 256 KiB large, to the byte", async () => {
    await claim(ONE);
    const document = sized(256 * 1024);
    await save(document);
    expect((await load()).document).toEqual(document);
  });

  test("is dated by when it was saved", async () => {
    await claim(ONE);
    bench.clock += SECOND;
    await save(WHOLE);
    bench.clock += SECOND;
    expect((await load()).savedAt).toBe("2030-01-01T00:00:01.000Z");
  });

  test("never goes back to an older fence, whenever its late owner saves", async () => {
    await claim(ONE);
    bench.clock += 3 * SECOND;
    const saves = Array.from({ length: 20 }, (_, number) => save({ ...WHOLE, number }));
    const takeover = bench.elsewhere(TWO).claim(RECORD, FIELD, { leaseSeconds: 3 });
    const more = Array.from({ length: 20 }, (_, number) =>
      bench.elsewhere(TWO).saveCheckpoint(RECORD, { document: { ...WHOLE, number }, field: FIELD, fence: 2 }),
    );
    await Promise.allSettled([...saves, takeover, ...more]);
    await expect(save(WHOLE)).rejects.toMatchObject({ code: "SUPERSEDED" });
    const { document, fence, savedBy } = await load();
    expect({ document, fence, savedBy }).toEqual({
      document: { ...WHOLE, number: 19 },
      fence: 2,
      savedBy: `apikey:${TWO}`,
    });
  });

  test("pins the record's version in the transaction that saves it, while others write", async () => {
    await claim(ONE);
    const told: number[] = [];
    const often = async (work: (number: number) => Promise<unknown>) => {
      for (let number = 0; number < 20; number++) await work(number);
    };
    await Promise.all([
      often((number) => act({ number })),
      often((value) => bench.elsewhere("diagnoser").write(RECORD, "planned_action", { value })),
      often(async (number) => told.push((await save({ ...WHOLE, number })).recordVersion)),
    ]);
    let version = 0;
    const pinned: number[] = [];
    for (const event of await bench.history()) {
      if (event.type === "relight.checkpoint.saved") {
        expect(event.data.version).toBe(version);
        pinned.push(version);
      } else if ("recordVersion" in event.data) version = event.data.recordVersion;
    }
    expect(told).toEqual(pinned);
    // Had nothing come in between, this would prove nothing.
    expect(new Set(pinned).size).toBeGreaterThan(1);
  });

  test("is kept for each role", async () => {
    const AT = { className: "repairs", id: "r-1" };
    await bench.as("diagnoser").create(AT, {});
    for (const role of ["remediator", "inspector"]) {
      const by = bench.as(role);
      const { fence } = await by.claim(AT, "work", { leaseSeconds: 3 });
      await by.saveCheckpoint(AT, { document: { goal: role }, field: "work", fence });
      await by.release(AT, "work", { fence });
    }
    const loaded = (role: string) => bench.as(role).loadCheckpoint(AT);
    expect(await loaded("inspector")).toMatchObject({ role: "inspector", document: { goal: "inspector" } });
    expect(await loaded("remediator/a")).toMatchObject({
      role: "remediator",
      document: { goal: "remediator" },
    });
    // The owner has no role, and looks at whichever it asks for; who has one gets its own, whatever it asks for.
    const asked = (by: Records) => by.loadCheckpoint(AT, "inspector");
    expect(await asked(bench.owner)).toMatchObject({ document: { goal: "inspector" } });
    expect(await asked(bench.as("remediator/a"))).toMatchObject({ document: { goal: "remediator" } });
  });

  test("of a role that may do the work, but save none, is FORBIDDEN", async () => {
    const AT = { className: "repairs", id: "r-1" };
    await bench.as("diagnoser").create(AT, {});
    const { fence } = await bench.as("helper").claim(AT, "work", { leaseSeconds: 3 });
    const saved = bench.as("helper").saveCheckpoint(AT, { document: { goal: "g" }, field: "work", fence });
    await expect(saved).rejects.toMatchObject({ code: "FORBIDDEN" });
    expect(await bench.owner.loadCheckpoint(AT, "helper")).toMatchObject({ document: null });
  });

  test("of a role that may not do the work is FORBIDDEN", async () => {
    await expect(save(WHOLE, 1, "diagnoser")).rejects.toMatchObject({ code: "FORBIDDEN" });
  });
});

describe("what changed since a checkpoint", () => {
  beforeEach(async () => {
    await plan("A", "the first");
    await claim(ONE);
    await save(WHOLE);
  });

  test("is nothing, right after it", async () => {
    expect((await load()).changedFields).toEqual([]);
  });

  test("counts changes: A, B and A again are two, with the last one's author and evidence", async () => {
    await plan("B", "a guess");
    await plan("A", "that was wrong");
    expect((await load()).changedFields).toEqual([
      {
        field: "planned_action",
        version: 3,
        by: "apikey:diagnoser",
        evidence: "that was wrong",
        changes: 2,
        mine: false,
      },
    ]);
    expect((await load()).record.fields.planned_action).toMatchObject({ value: "A", version: 3 });
  });

  test("is marked where it is the reader's own, and only where all of it is", async () => {
    await act("one's own");
    await bench.as(ONE).write(RECORD, "summary", { value: "mine" });
    await bench.as("diagnoser").write(RECORD, "summary", { value: "not mine" });
    await bench.as(ONE).write(RECORD, "summary", { value: "mine again" });
    const mine = async (name: string) =>
      (await load(name)).changedFields.map((changed) => [changed.field, changed.mine]);
    expect(await mine(ONE)).toEqual([
      ["actions", true],
      ["summary", false],
    ]);
    // Whoever takes over wrote none of it.
    expect(await mine(TWO)).toEqual([
      ["actions", false],
      ["summary", false],
    ]);
  });

  test("is in the order of the last changes", async () => {
    await plan("B");
    await act("one");
    await bench.as("diagnoser").write(RECORD, "summary", { value: "x" });
    await plan("C");
    const fields = (await load()).changedFields.map(({ field }) => field);
    expect(fields).toEqual(["actions", "summary", "planned_action"]);
  });

  test("is nothing where only the lease moved", async () => {
    await bench.as(ONE).renew(RECORD, FIELD, { fence: 1 });
    await expect(claim(TWO)).rejects.toMatchObject({ code: "HELD" });
    bench.clock += 3 * SECOND;
    await claim(TWO);
    await bench.as(TWO).release(RECORD, FIELD, { fence: 2 });
    await claim(ONE);
    expect(typesOf(await bench.history()).slice(-4)).toEqual([
      "field.claim_refused",
      "field.taken_over",
      "field.released",
      "field.claimed",
    ]);
    const { changedFields, recordVersion, record } = await load();
    expect(changedFields).toEqual([]);
    expect(record.version).toBe(recordVersion);
  });

  test("is a write under the lease too", async () => {
    await bench.as(ONE).write(RECORD, FIELD, { value: "evicting", fence: 1, evidence: "as planned" });
    expect((await load(TWO)).changedFields).toMatchObject([
      { field: FIELD, version: 1, by: `apikey:${ONE}`, evidence: "as planned" },
    ]);
  });
});

test("without a checkpoint there is the whole record, and no document", async () => {
  await plan("drain node-7");
  expect(await load()).toEqual({
    role: "remediator",
    document: null,
    recordVersion: null,
    savedBy: null,
    savedAt: null,
    fence: null,
    changedFields: [],
    record: await bench.owner.read(RECORD),
  });
});
