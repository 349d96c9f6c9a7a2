/** A process that writes about a record is killed with SIGKILL at every point of a commit, and its request sent again. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { Book } from "../../lib/records/book";
import { readClasses } from "../../lib/records/classes";
import type { RecordEvent } from "../../lib/records/events";
import { callerOf, OWNER } from "../../lib/records/identity";
import { Records } from "../../lib/records/records";
import { apply, initial } from "../../lib/records/state";
import { openSqliteStore } from "../../lib/store";
import type { Request } from "../fixtures/record-request";
import { serve } from "./server";
import { temporary } from "./stage";

const CLASSES = join(root, "lib", "records", "classes");
const AT = { className: "incidents", id: "inc-111" };
const SUBJECT = "record:incidents/inc-111";
const FIELD = "remediation";
const [ONE, TWO] = ["remediator/worker-1", "remediator/worker-2"] as const;
const WHOLE = { goal: "drain", decisions: "in batches", progress: "4 of 11", open_questions: "none" };

const create: Request = { by: "diagnoser", method: "create", args: [AT, {}] };
const claimBy = (by: string, leaseSeconds: number): Request => ({
  by,
  method: "claim",
  args: [AT, FIELD, { leaseSeconds }],
});
const held = [create, claimBy(ONE, 600)];

/** All that the file says of the record; and that its parts agree. */
async function look(path: string) {
  const store = openSqliteStore({ path });
  try {
    const { events } = await store.read<RecordEvent>({ subject: SUBJECT, limit: 1000 });
    const lease = await store.lease(`${SUBJECT}#${FIELD}`);
    const state = events.reduce(apply, initial(SUBJECT));
    const claim = state.claims[FIELD];
    expect(
      lease && { owner: lease.holder, fence: lease.fence, released: lease.status === "released" },
    ).toEqual(claim ? { owner: claim.owner, fence: claim.fence, released: claim.released } : null);
    const projected = (await store.subjects()).find(({ subject }) => subject === SUBJECT);
    expect(projected?.position ?? 0).toBe(state.position);
    const records = new Records(new Book(store, readClasses(CLASSES)), OWNER);
    const record = state.position > 0 ? await records.read(AT) : null;
    expect(record?.version ?? 0).toBe(state.version);
    return { types: events.map(({ type }) => type.replace("relight.", "")), lease };
  } finally {
    store.close();
  }
}

/** The request, done here by a process that lives on. @returns its answer, or how it was refused */
async function send(path: string, { by, method, args }: Request): Promise<object> {
  const store = openSqliteStore({ path });
  try {
    const caller = callerOf("Bearer token", [{ token: "token", name: by }]);
    const records = new Records(new Book(store, readClasses(CLASSES)), caller);
    return await (records[method] as (...all: unknown[]) => Promise<object>).apply(records, args);
  } catch (error) {
    return error as Error;
  } finally {
    store.close();
  }
}

/** The request, done by a process that dies there. */
async function die(path: string, request: Request, crashAt: string): Promise<void> {
  const fixture = join(root, "tests/.built/record-request.mjs");
  const child = spawn(process.execPath, [fixture, path, CLASSES, JSON.stringify(request)], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, RELIGHT_CRASH_AT: crashAt },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [said, [, signal]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(signal, `at ${crashAt}: ${said}`).toBe("SIGKILL");
}

interface Case {
  what: string;
  /** Where it dies, one after the other; each time the same request is sent again. */
  at: string[];
  setUp: Request[];
  request: Request;
  /** What is in the log once it was done, beside what is set up. */
  done: string[];
  /** The answer to the request when it is sent again after it was done, */
  again: object;
  /** and what that adds to the log. */
  more?: string[];
}

const points = (commit: string): string[] => ["before", "inside", "after"].map((when) => `${when}-${commit}`);

const cases: Case[] = [
  {
    what: "creating a record",
    at: points("record-created"),
    setUp: [],
    request: create,
    done: ["record.created"],
    again: { code: "CONFLICT" },
  },
  {
    what: "a write with the version in hand",
    at: points("field-written"),
    setUp: [create],
    request: { by: "diagnoser", method: "write", args: [AT, "summary", { value: "mine", ifVersion: 0 }] },
    done: ["field.written"],
    again: { code: "CONFLICT", details: { version: 1 } },
  },
  {
    what: "a write under a lease",
    at: points("field-written"),
    setUp: held,
    request: { by: ONE, method: "write", args: [AT, FIELD, { value: "mine", ifVersion: 0, fence: 1 }] },
    done: ["field.written"],
    again: { code: "CONFLICT", details: { version: 1 } },
  },
  {
    what: "an entry with a key",
    at: points("field-appended"),
    setUp: [create],
    request: { by: ONE, method: "append", args: [AT, "actions", { entry: { did: "cordon" }, key: "k-1" }] },
    done: ["field.appended"],
    again: { version: 1 },
  },
  {
    // Whoever lost the answer is told that it is held, by whom and with which fence: its own.
    what: "a claim",
    at: points("field-claimed"),
    setUp: [create],
    request: claimBy(ONE, 600),
    done: ["field.claimed"],
    again: { code: "HELD", details: { owner: `apikey:${ONE}`, fence: 1 } },
    more: ["field.claim_refused"],
  },
  {
    what: "a claim that shows its own fence",
    at: ["before-field-claimed"],
    setUp: held,
    request: { by: ONE, method: "claim", args: [AT, FIELD, { leaseSeconds: 600, fence: 1 }] },
    done: [],
    again: { fence: 1 },
  },
  {
    what: "a takeover",
    at: ["inside-field-taken_over", "after-field-taken_over"],
    setUp: [create, claimBy(TWO, 0.001)],
    request: claimBy(ONE, 600),
    done: ["field.taken_over"],
    again: { code: "HELD", details: { owner: `apikey:${ONE}`, fence: 2 } },
    more: ["field.claim_refused"],
  },
  {
    what: "a claim that is refused",
    at: ["inside-field-claim_refused", "after-field-claim_refused"],
    setUp: held,
    request: claimBy(TWO, 600),
    done: ["field.claim_refused"],
    again: { code: "HELD", details: { owner: `apikey:${ONE}`, fence: 1 } },
  },
  {
    what: "a release",
    at: points("field-released"),
    setUp: held,
    request: { by: ONE, method: "release", args: [AT, FIELD, { fence: 1 }] },
    done: ["field.released"],
    again: { code: "LAPSED" },
  },
  {
    // It is an account as of now: saved twice, it is the same.
    what: "a checkpoint",
    at: points("checkpoint-saved"),
    setUp: held,
    request: { by: ONE, method: "saveCheckpoint", args: [AT, { document: WHOLE, field: FIELD, fence: 1 }] },
    done: ["checkpoint.saved"],
    again: { recordVersion: 1 },
    more: ["checkpoint.saved"],
  },
];

test.each(cases)(
  "$what, killed at each point: nothing of it is there, or all of it, and it is done once",
  async (each) => {
    const path = join(temporary(), "relight.db");
    openSqliteStore({ path, create: { log: "log-1", source: "/relight/test", after: 0 } }).close();
    for (const request of each.setUp) expect(await send(path, request)).not.toBeInstanceOf(Error);
    const { types, lease } = await look(path);

    for (const crashAt of each.at) {
      await die(path, each.request, crashAt);
      const now = await look(path);
      const happened = crashAt.startsWith("after") ? each.done : [];
      expect([crashAt, now.types]).toEqual([crashAt, [...types, ...happened]]);
      if (happened.length === 0) expect([crashAt, now.lease]).toEqual([crashAt, lease]);
    }
    expect(await send(path, each.request)).toMatchObject(each.again);
    expect((await look(path)).types).toEqual([...types, ...each.done, ...(each.more ?? [])]);
  },
);

test("a renewal, killed before and after: the lease has its old end or its new one, and the log none of it", async () => {
  const path = join(temporary(), "relight.db");
  openSqliteStore({ path, create: { log: "log-1", source: "/relight/test", after: 0 } }).close();
  for (const request of held) await send(path, request);
  const before = await look(path);
  const renewal: Request = { by: ONE, method: "renew", args: [AT, FIELD, { fence: 1 }] };

  await die(path, renewal, "before-lease-renewed");
  const still = await look(path);
  expect([still.types, still.lease]).toEqual([before.types, before.lease]);

  await die(path, renewal, "after-lease-renewed");
  const later = await look(path);
  expect(later.types).toEqual(before.types);
  expect(later.lease).toEqual({ ...before.lease, expiresAt: expect.any(Number) });
  expect(later.lease?.expiresAt).toBeGreaterThan(before.lease?.expiresAt ?? 0);

  expect(await send(path, renewal)).toMatchObject({ fence: 1 });
  expect((await look(path)).types).toEqual(before.types);
});

test("a whole server, killed at each point of an append: its client sends it again, and it is there once", async () => {
  const record = "incidents/inc-111";
  const key = "the-key";
  let [data, token]: (string | undefined)[] = [];
  for (const crashAt of points("field-appended")) {
    const doomed = await serve({ data, crashAt });
    data = doomed.data;
    token ??= (await doomed.client.keys()).find(({ name }) => name === ONE)?.token;
    const client = doomed.client.records({ token });
    await client.create(record).catch(() => {});
    const append = client.append(record, "actions", { did: "cordon" }, { key });
    await expect(append).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await doomed.exited).toEqual({ code: null, signal: "SIGKILL" });
  }
  const last = await serve({ data });
  const client = last.client.records({ token });
  const { version, entryId } = await client.append(record, "actions", { did: "cordon" }, { key });
  const { rows } = await client.history(record);
  expect(rows.map(({ type }) => type)).toEqual(["relight.record.created", "relight.field.appended"]);
  expect(rows.at(-1)?.data).toMatchObject({ entryId, version });
  expect((await client.get(record)).fields.actions).toMatchObject({ version: 1, value: [{ entryId }] });
});
