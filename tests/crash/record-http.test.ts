/** Records as strangers meet them, over HTTP: one real server for all of these. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type Relight } from "../../lib/client";
import type { Answered } from "../fixtures/record-appender";
import type { Server } from "../server";
import { fleet } from "./fleet";
import { serve } from "./server";
import { temporary } from "./stage";

const APPENDERS = 8;
const ENTRIES = 500;

const cleanups: (() => void)[] = [];
const cleanup = (clean: () => void) => cleanups.push(clean);
let server: Server;
let relight: Relight;
let token: Record<string, string>;
const env: Record<string, string> = {};

beforeAll(async () => {
  const folder = temporary(cleanup);
  env.RELIGHT_CLASSES = folder;
  env.RELIGHT_APIKEYS = join(folder, "keys");
  writeFileSync(join(folder, "repairs.yaml"), "fields: { note: { mode: value, roles: [mechanic] } }\n");
  writeFileSync(env.RELIGHT_APIKEYS, "tok-mechanic: mechanic/anna\n'12345': remediatorX\n");
  server = await serve({ env, cleanup });
  relight = connect(server.url);
  token = Object.fromEntries((await relight.keys()).map(({ name, token }) => [name, token]));
});

afterAll(async () => {
  await server.kill();
  for (const clean of cleanups) clean();
});

const as = (name: string) => relight.records({ token: token[name] });

/** Sends a request as it is; `body` is JSON already. */
async function send(method: string, path: string, body?: string, key?: string) {
  const response = await fetch(`${server.url}/api/records/${path}`, {
    method,
    headers: {
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
    },
    ...(body !== undefined && { body }),
  });
  return {
    status: response.status,
    contentType: response.headers.get("content-type"),
    ...((await response.json()) as object),
  };
}

test(`${APPENDERS} processes append ${ENTRIES} entries each, and send each twice: one order, none lost, none doubled`, async () => {
  const record = "incidents/inc-many";
  await as("diagnoser").create(record);
  const appenders = await fleet("record-appender", Array(APPENDERS).fill([]));
  const key = token["remediator/worker-1"] ?? "";
  const order = (index: number) => ({
    url: server.url,
    token: key,
    record,
    field: "actions",
    name: `appender-${index}`,
    entries: ENTRIES,
  });
  const answers = (await appenders.tell(order)) as Answered[];

  const { fields, version } = await as("diagnoser").get(record);
  expect(version).toBe(1 + APPENDERS * ENTRIES);
  const entries = fields.actions?.value as {
    entryId: string;
    version: number;
    value: { from: string; number: number };
  }[];
  // One order: the log's, and of each sender the one in which it sent.
  expect(entries.map((entry) => entry.version)).toEqual(
    Array.from({ length: APPENDERS * ENTRIES }, (_, index) => index + 1),
  );
  for (const [index, answered] of answers.entries()) {
    const mine = entries.filter(({ value }) => value.from === `appender-${index}`);
    expect(mine.map(({ value }) => value.number)).toEqual(Array.from({ length: ENTRIES }, (_, at) => at));
    // One that was sent twice is one entry, whichever answer its sender reads.
    expect(answered).toEqual(
      mine.map(({ value: { number }, entryId }) => ({
        number,
        entryIds: [entryId, entryId],
      })),
    );
  }
  const logged: string[] = [];
  for (let more = true, after = 0; more; ) {
    const page = await as("diagnoser").history(record, { after, limit: 1000 });
    logged.push(
      ...page.rows.flatMap(({ type, data }) => (type === "relight.field.appended" ? [data.entryId] : [])),
    );
    [after, more] = [page.cursor, page.more];
  }
  expect(logged).toEqual(entries.map(({ entryId }) => entryId));
  // The key of an entry stays its own.
  const other = { from: "appender-0", number: -1 };
  const again = relight.records({ token: key }).append(record, "actions", other, { key: "appender-0-7" });
  await expect(again).rejects.toMatchObject({ code: "CONFLICT" });
}, 180_000);

describe("a refusal is a problem with its code and status, and changes nothing", () => {
  const record = "incidents/inc-refused";
  beforeAll(async () => {
    await as("diagnoser").create(record, { summary: "as it was" });
    await as("remediator/worker-1").claim(record, "remediation", { leaseSeconds: 3600 });
  });

  const [ONE, TWO] = ["remediator/worker-1", "remediator/worker-2"];
  const field = (name: string) => `${record}/fields/${name}`;
  const whole = { goal: "g", decisions: "d", progress: "p", open_questions: "o" };
  const checkpoint = (document: unknown) => JSON.stringify({ document, field: "remediation", fence: 1 });
  const cases: [what: string, code: string, status: number, send: () => Promise<object>][] = [
    ["a write without a key", "UNAUTHENTICATED", 401, () => send("PUT", field("summary"), '{"value":1}')],
    [
      "a write with an unknown key",
      "UNAUTHENTICATED",
      401,
      () => send("PUT", field("summary"), '{"value":1}', "rk_nobody"),
    ],
    ["a look with an unknown key", "UNAUTHENTICATED", 401, () => send("GET", record, undefined, "rk_nobody")],
    [
      "a field of another role",
      "FORBIDDEN",
      403,
      () => send("PUT", field("planned_action"), '{"value":1}', token[ONE]),
    ],
    ["a class of other roles", "FORBIDDEN", 403, () => send("GET", record, undefined, "tok-mechanic")],
    [
      "a role that is only called like one",
      "FORBIDDEN",
      403,
      () => send("POST", `${field("remediation")}/claim`, '{"leaseSeconds":3}', "12345"),
    ],
    ["an unknown class", "NOT_FOUND", 404, () => send("GET", "nothing/inc-1")],
    ["an unknown record", "NOT_FOUND", 404, () => send("GET", "incidents/inc-404")],
    [
      "an unknown field",
      "NOT_FOUND",
      404,
      () => send("PUT", field("colour"), '{"value":1}', token.diagnoser),
    ],
    [
      "a field of another mode",
      "INVALID",
      400,
      () => send("POST", `${field("summary")}/append`, '{"entry":1}', token.diagnoser),
    ],
    [
      "a lease of text",
      "INVALID",
      400,
      () => send("POST", `${field("remediation")}/claim`, '{"leaseSeconds":"3"}', token[TWO]),
    ],
    [
      "a lease of NaN, which JSON has not",
      "INVALID",
      400,
      () => send("POST", `${field("remediation")}/claim`, '{"leaseSeconds":NaN}', token[TWO]),
    ],
    [
      "a held field",
      "HELD",
      409,
      () => send("POST", `${field("remediation")}/claim`, '{"leaseSeconds":3}', token[ONE]),
    ],
    [
      "a guessed fence",
      "SUPERSEDED",
      409,
      () => send("POST", `${field("remediation")}/release`, '{"fence":1}', token[TWO]),
    ],
    ["a record that exists", "CONFLICT", 409, () => send("PUT", record, "{}", token.diagnoser)],
    [
      "a checkpoint without its sections",
      "INVALID_CHECKPOINT",
      422,
      () => send("PUT", `${record}/checkpoint`, checkpoint({ goal: "g" }), token[ONE]),
    ],
    [
      "a checkpoint of 300 KiB",
      "TOO_LARGE",
      413,
      () =>
        send(
          "PUT",
          `${record}/checkpoint`,
          checkpoint({ ...whole, more: "x".repeat(300 * 1024) }),
          token[ONE],
        ),
    ],
    [
      "a checkpoint nested 100,000 deep",
      "INVALID",
      400,
      () =>
        send(
          "PUT",
          `${record}/checkpoint`,
          checkpoint(whole).replace('"g"', "[".repeat(100_000) + "]".repeat(100_000)),
          token[ONE],
        ),
    ],
  ];

  test.each(cases)("%s: %s", async (_, code, status, request) => {
    // The refused claim is in the log, and nothing else is.
    const before = await relight.records().get(record);
    expect(await request()).toMatchObject({ status, code, contentType: "application/problem+json" });
    const { fields, ...rest } = await relight.records().get(record);
    expect({ ...rest, summary: fields.summary }).toEqual({
      class: before.class,
      id: before.id,
      version: before.version,
      summary: before.fields.summary,
    });
    expect(fields.remediation?.lease).toMatchObject({ owner: `apikey:${ONE}`, fence: 1, state: "held" });
  });

  test("of a stale version says which one it is", async () => {
    const body = '{"value":1,"ifVersion":0}';
    const answer = await send("PUT", field("summary"), body, token.diagnoser);
    expect(answer).toMatchObject({ status: 409, code: "CONFLICT", version: 1 });
  });

  test("of a held field says by whom, and for how long", async () => {
    const refused = as(TWO ?? "").claim(record, "remediation", { leaseSeconds: 3 });
    await expect(refused).rejects.toMatchObject({
      code: "HELD",
      details: { owner: `apikey:${ONE}`, fence: 1, remainingMs: expect.any(Number) },
    });
  });

  test("of a checkpoint names every section that is missing", async () => {
    const saved = as(ONE ?? "").checkpointSave(
      record,
      { goal: "g", decisions: "d" },
      { field: "remediation", fence: 1 },
    );
    await expect(saved).rejects.toMatchObject({ details: { missing: ["progress", "open_questions"] } });
  });
});

describe("the keys", () => {
  test("are the owner's to see, and nobody's with a narrower scope", async () => {
    const response = await fetch(`${server.url}/api/keys`, {
      headers: { "relight-as": '{"principal":"acme/@maria","roles":["viewer"],"resources":["*"]}' },
    });
    expect(response.status).toBe(403);
  });

  test("of the environment's file write what their names may", async () => {
    const mechanic = relight.records({ token: "tok-mechanic" });
    await mechanic.create("repairs/r-1", { note: "brakes" });
    expect((await relight.records().get("repairs/r-1")).fields.note).toMatchObject({
      value: "brakes",
      by: "apikey:mechanic/anna",
    });
  });

  test("outlive a reset, and a reset takes the records", async () => {
    await as("diagnoser").create("incidents/inc-old");
    await relight.reset();
    expect(Object.fromEntries((await relight.keys()).map(({ name, token }) => [name, token]))).toEqual(token);
    expect(await as("diagnoser").list("incidents")).toEqual([]);
    await as("diagnoser").create("incidents/inc-old");
  });
});

test("a class whose file is gone after a restart is UNAVAILABLE, not unknown; with its file back all is there", async () => {
  const first = await serve({ env });
  const note = { note: "brakes" };
  await first.client.records({ token: "tok-mechanic" }).create("repairs/r-1", note);
  await first.kill();
  const { RELIGHT_APIKEYS = "" } = env;
  const second = await serve({
    data: first.data,
    env: { RELIGHT_APIKEYS, RELIGHT_CLASSES: temporary() },
  });
  const records = second.client.records({ token: "tok-mechanic" });
  for (const request of [
    () => records.get("repairs/r-1"),
    () => records.list("repairs"),
    () => records.write("repairs/r-1", "note", "lost"),
  ]) {
    await expect(request()).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("repairs"),
    });
  }
  await second.kill();
  const third = await serve({ data: first.data, env });
  expect((await third.client.records().get("repairs/r-1")).fields.note).toMatchObject({ value: "brakes" });
});
