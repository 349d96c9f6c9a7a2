/** Who may do what with records, and what is refused: with its reason, and with nothing written. */
import { describe, expect, test } from "vitest";
import type { Classes } from "../../lib/records/classes";
import { callerOf } from "../../lib/records/identity";
import type { Records } from "../../lib/records/records";
import { FIELD, freshBench, RECORD, typesOf, WHOLE } from "./record-bench";

const classes: Classes = new Map([
  ["secrets", { fields: { plan: { mode: "value" as const, roles: ["auditor"] } } }],
]);
const bench = freshBench(classes);
const ONE = "remediator/worker-1";
const NEW = { className: "incidents", id: "inc-112" };

/** It is refused with the code, and nothing is written. */
async function refused(code: string, request: () => Promise<unknown>, details = {}): Promise<void> {
  const before = await bench.store.read({ limit: 1000 });
  await expect(request()).rejects.toMatchObject({ name: "RelightError", code, details });
  expect(await bench.store.read({ limit: 1000 })).toEqual(before);
}

describe("what is not there is NOT_FOUND", () => {
  const missing = { className: "incidents", id: "inc-404" };
  const nowhere = { className: "nothing", id: "inc-111" };
  const requests: [string, (by: Records) => Promise<unknown>][] = [
    ["a class to list", (by) => by.list("nothing")],
    ["a class to create in", (by) => by.create(nowhere, {})],
    ["a class to read from", (by) => by.read(nowhere)],
    ["a class named like what every object has", (by) => by.list("constructor")],
    ["a record to read", (by) => by.read(missing)],
    ["a record to append to", (by) => by.append(missing, "actions", { entry: 1 })],
    ["a record to claim", (by) => by.claim(missing, FIELD, { leaseSeconds: 3 })],
    ["a record's checkpoint", (by) => by.loadCheckpoint(missing)],
    ["a record's history", (by) => by.history(missing, { limit: 10 })],
    ["a field to write", (by) => by.write(RECORD, "colour", { value: 1 })],
    ["a field to claim", (by) => by.claim(RECORD, "colour", { leaseSeconds: 3 })],
    ["a field to create with", (by) => by.create(NEW, { fields: { colour: 1 } })],
    [
      "a field to save a checkpoint under",
      (by) => by.saveCheckpoint(RECORD, { document: WHOLE, field: "colour", fence: 1 }),
    ],
    ["a field named like what every object has", (by) => by.write(RECORD, "constructor", { value: 1 })],
  ];
  test.each(requests)("%s", async (_, request) => {
    await refused("NOT_FOUND", () => request(bench.as(ONE)));
  });
});

describe("a field of another mode is INVALID", () => {
  const requests: [string, (by: Records) => Promise<unknown>][] = [
    ["appended to, a value", (by) => by.append(RECORD, "summary", { entry: 1 })],
    ["appended to, a task", (by) => by.append(RECORD, FIELD, { entry: 1 })],
    ["written, an append field", (by) => by.write(RECORD, "actions", { value: [] })],
    ["claimed, a value", (by) => by.claim(RECORD, "summary", { leaseSeconds: 3 })],
    ["renewed, an append field", (by) => by.renew(RECORD, "actions", { fence: 1 })],
    ["released, a value", (by) => by.release(RECORD, "summary", { fence: 1 })],
    [
      "what a checkpoint is saved under, a value",
      (by) => by.saveCheckpoint(RECORD, { document: WHOLE, field: "summary", fence: 1 }),
    ],
    ["created with, a task", (by) => by.create(NEW, { fields: { [FIELD]: "mine" } })],
    ["created with, an append field", (by) => by.create(NEW, { fields: { actions: [] } })],
    ["written without a fence, a task", (by) => by.write(RECORD, FIELD, { value: 1 })],
    ["written with a fence, a value", (by) => by.write(RECORD, "summary", { value: 1, fence: 1 })],
  ];
  test.each(requests)("%s", async (_, request) => {
    await refused("INVALID", () => request(bench.as(ONE)));
  });
});

describe("a role without the right is FORBIDDEN", () => {
  const requests: [string, string, (by: Records) => Promise<unknown>][] = [
    ["writes a field", ONE, (by) => by.write(RECORD, "planned_action", { value: "rest" })],
    ["appends", "diagnoser", (by) => by.append(RECORD, "actions", { entry: 1 })],
    ["claims", "diagnoser", (by) => by.claim(RECORD, FIELD, { leaseSeconds: 3 })],
    ["lists a class of others", ONE, (by) => by.list("secrets")],
    ["reads a record of others", "auditor", (by) => by.read(RECORD)],
    ["reads their history", "auditor", (by) => by.history(RECORD, { limit: 10 })],
    ["reads their checkpoint", "auditor", (by) => by.loadCheckpoint(RECORD)],
    ["creates in a class of others", "auditor", (by) => by.create(NEW, {})],
    ["is only called like the role", "remediatorX", (by) => by.claim(RECORD, FIELD, { leaseSeconds: 3 })],
    ["is the role in capitals", "Remediator/a", (by) => by.claim(RECORD, FIELD, { leaseSeconds: 3 })],
    ["has the role as its second part", "a/remediator", (by) => by.claim(RECORD, FIELD, { leaseSeconds: 3 })],
  ];
  test.each(requests)("%s", async (_, name, request) => {
    await refused("FORBIDDEN", () => request(bench.as(name)));
  });

  test("creates with a field that it may not write: nothing is created", async () => {
    const fields = { summary: "mine to write", planned_action: "not mine" };
    await refused("FORBIDDEN", () => bench.as(ONE).create(NEW, { fields }));
    await refused("NOT_FOUND", () => bench.owner.read(NEW));
  });
});

describe("a key's name", () => {
  test("holds the role that is its first part, however many follow", async () => {
    const claimed = await bench.as("remediator/a/b").claim(RECORD, FIELD, { leaseSeconds: 3 });
    expect(claimed).toMatchObject({ owner: "apikey:remediator/a/b", fence: 1 });
  });

  test("lets whoever may write any field read the rest", async () => {
    await bench.as("diagnoser").write(RECORD, "planned_action", { value: "drain" });
    expect((await bench.as(ONE).read(RECORD)).fields.planned_action).toMatchObject({ value: "drain" });
  });

  const keys = [{ token: "tok-1", name: "remediator/worker-1" }];
  test.each([
    "Bearer tok-2",
    "Bearer tok-1x",
    "Bearer",
    "Bearer ",
    "",
    "tok-1",
    "Basic tok-1",
    "Bearer tok-1 tok-1",
    "Bearer TOK-1",
  ])("is not to be had with %j: UNAUTHENTICATED, and never the owner", (authorization) => {
    expect(() => callerOf(authorization, keys)).toThrow(expect.objectContaining({ code: "UNAUTHENTICATED" }));
  });

  test("is what its token says, and nothing else", () => {
    const caller = { principal: "apikey:remediator/worker-1", role: "remediator" };
    expect(callerOf("Bearer tok-1", keys)).toEqual(caller);
    expect(callerOf("bearer  tok-1", keys)).toEqual(caller);
  });
});

describe("the owner, without a key", () => {
  test("reads everything", async () => {
    const at = { className: "secrets", id: "s-1" };
    await bench.as("auditor").create(at, { fields: { plan: "audit" } });
    expect((await bench.owner.read(at)).fields.plan).toMatchObject({ value: "audit", by: "apikey:auditor" });
    expect(await bench.owner.list("secrets")).toEqual([{ id: "s-1", version: 2 }]);
    expect((await bench.owner.history(at, { limit: 10 })).rows).toHaveLength(2);
    expect(await bench.owner.loadCheckpoint(RECORD)).toMatchObject({ role: "remediator", document: null });
  });

  const requests: [string, (by: Records) => Promise<unknown>][] = [
    ["creates", (by) => by.create(NEW, {})],
    ["writes", (by) => by.write(RECORD, "summary", { value: 1 })],
    ["appends", (by) => by.append(RECORD, "actions", { entry: 1 })],
    ["claims", (by) => by.claim(RECORD, FIELD, { leaseSeconds: 3 })],
    ["renews", (by) => by.renew(RECORD, FIELD, { fence: 1 })],
    ["releases", (by) => by.release(RECORD, FIELD, { fence: 1 })],
    ["saves a checkpoint", (by) => by.saveCheckpoint(RECORD, { document: WHOLE, field: FIELD, fence: 1 })],
  ];
  test.each(requests)("%s nothing: UNAUTHENTICATED", async (_, request) => {
    await refused("UNAUTHENTICATED", () => request(bench.owner));
  });
});

describe("a write", () => {
  const write = (request: object) => bench.as(ONE).write(RECORD, "summary", request);

  test("with the field's version in hand is done, once", async () => {
    expect(await write({ value: "first", ifVersion: 0 })).toMatchObject({ version: 1 });
    expect(await write({ value: "second", ifVersion: 1 })).toMatchObject({ version: 2 });
    await refused("CONFLICT", () => write({ value: "late", ifVersion: 1 }), { version: 2 });
    await refused("CONFLICT", () => write({ value: "early", ifVersion: 3 }), { version: 2 });
    expect((await bench.owner.read(RECORD)).fields.summary).toMatchObject({ value: "second", version: 2 });
  });

  test("of many with the same version in hand is one", async () => {
    const writes = Array.from({ length: 10 }, (_, number) =>
      (number % 2 ? bench.as(ONE) : bench.elsewhere(ONE)).write(RECORD, "summary", {
        value: number,
        ifVersion: 0,
      }),
    );
    const outcomes = await Promise.allSettled(writes);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect((await bench.owner.read(RECORD)).fields.summary?.version).toBe(1);
  });

  test.each([
    ["null", null],
    ["false", false],
    ["zero", 0],
    ["nested", { a: [{ b: null }], ünï: "🦊" }],
  ])("keeps a value as it came: %s", async (_, value) => {
    await write({ value });
    expect((await bench.elsewhere(ONE).read(RECORD)).fields.summary?.value).toEqual(value);
  });

  test.each<[string, string, object]>([
    ["without a value", "INVALID", {}],
    ["of 256 KiB", "TOO_LARGE", { value: ["x".repeat(256 * 1024)] }],
    ["of text of more than 256 KiB", "TOO_LARGE", { value: "x".repeat(256 * 1024 + 1) }],
    ["with evidence that is no text", "INVALID", { value: 1, evidence: 7 }],
    ["with evidence of 17 KiB", "INVALID", { value: 1, evidence: "x".repeat(17 * 1024) }],
    ["with a name that is not known", "INVALID", { value: 1, if_version: 1 }],
    ["with a version that is no number", "INVALID", { value: 1, ifVersion: "1" }],
  ])("%s is %s", async (_, code, request) => {
    await refused(code, () => write(request));
  });
});

describe("an entry", () => {
  const append = (request: object, name = ONE) => bench.as(name).append(RECORD, "actions", request);
  const entries = async () => {
    const { actions } = (await bench.owner.read(RECORD)).fields;
    return (actions?.value as { value: unknown }[] | undefined)?.map(({ value }) => value);
  };

  test("sent again with its key is the same one", async () => {
    const first = await append({ entry: { did: "cordon" }, key: "k-1" });
    expect(await append({ entry: { did: "cordon" }, key: "k-1" })).toEqual(first);
    expect(await entries()).toEqual([{ did: "cordon" }]);
  });

  test("that is another one, with the key of an earlier one, is a CONFLICT", async () => {
    await append({ entry: { did: "cordon" }, key: "k-1" });
    await refused("CONFLICT", () => append({ entry: { did: "evict" }, key: "k-1" }));
    expect(await entries()).toEqual([{ did: "cordon" }]);
  });

  test("has its key to itself: somebody else's with the same key is another entry", async () => {
    await append({ entry: "mine", key: "k-1" });
    await append({ entry: "theirs", key: "k-1" }, "remediator/worker-2");
    expect(await entries()).toEqual(["mine", "theirs"]);
  });

  test("without a key is a new one each time", async () => {
    await append({ entry: "again" });
    await append({ entry: "again" });
    expect(await entries()).toEqual(["again", "again"]);
  });
});

describe("a lease of", () => {
  test.each([0, -1, 3601, 3600.001, Number.NaN, Number.POSITIVE_INFINITY, "3", null, undefined, 0.0001])(
    "%s seconds is INVALID",
    async (leaseSeconds) => {
      await refused("INVALID", () => bench.as(ONE).claim(RECORD, FIELD, { leaseSeconds }));
    },
  );

  test.each([
    [0.001, 1],
    [0.5, 500],
    [3600, 3_600_000],
  ])("%s seconds is granted", async (leaseSeconds, remainingMs) => {
    expect(await bench.as(ONE).claim(RECORD, FIELD, { leaseSeconds })).toMatchObject({ remainingMs });
  });
});

describe("creating", () => {
  test("again is a CONFLICT, and changes nothing", async () => {
    const created = await bench.as("diagnoser").create(NEW, { fields: { planned_action: "drain" } });
    expect(created).toMatchObject({ class: "incidents", id: "inc-112", version: 2 });
    await refused("CONFLICT", () => bench.elsewhere(ONE).create(NEW, { fields: { summary: "another" } }));
  });

  test("by many at once is one record", async () => {
    const creations = Array.from({ length: 8 }, (_, number) =>
      (number % 2 ? bench.as(ONE) : bench.elsewhere(ONE)).create(NEW, { fields: { summary: number } }),
    );
    const outcomes = await Promise.allSettled(creations);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    const { rows } = await bench.owner.history(NEW, { limit: 100 });
    expect(typesOf(rows)).toEqual(["record.created", "field.written"]);
  });

  test.each(["..", ".", "", "a b", "a/b", "a#b", "x".repeat(101)])("as %j is INVALID", async (id) => {
    await refused("INVALID", () => bench.as(ONE).create({ className: "incidents", id }, {}));
  });
});
