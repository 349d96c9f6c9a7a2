/** The workers of records: real processes, that are paused, killed, outlived by their server, and outlive nothing. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Relight } from "../../lib/client";
import type { Server } from "../server";
import { frozen, gone, isRunning, until } from "./os";
import { serve } from "./server";

const RECORD = "incidents/inc-111";
const DRAIN = { scenario: "drain" };
/** Long enough that a worker is stopped in the middle of its second batch once its first one is in the log. */
const TOOL_MS = 700;

async function clientOf(relight: Relight, name: string) {
  const key = (await relight.keys()).find((known) => known.name === name);
  return relight.records({ token: key?.token });
}

const incident = async (relight: Relight) =>
  (await clientOf(relight, "diagnoser")).create(RECORD, { planned_action: "drain node-7" });

/** What the log has of workers, in order. */
async function told(relight: Relight): Promise<[type: string, pid: number][]> {
  const { events } = await relight.events.list({ limit: 1000 });
  return (events as { type: string; data: { pid?: number } }[])
    .filter(({ type }) => type.startsWith("relight.worker."))
    .map(({ type, data }) => [type.replace("relight.", ""), data.pid ?? 0]);
}

const eventAt = async (relight: Relight, cursor: number) =>
  (await relight.events.list({ after: cursor - 1, limit: 1 })).events[0];

describe("a worker", () => {
  const cleanups: (() => void)[] = [];
  let relight: Relight;
  let server: Server;
  beforeAll(async () => {
    server = await serve({ toolMs: 60_000, cleanup: (clean) => cleanups.push(clean) });
    relight = server.client;
  });
  afterAll(async () => {
    await server.kill();
    for (const clean of cleanups) clean();
  });
  beforeEach(async () => {
    await relight.reset();
  });
  const state = async (name: string) =>
    (await relight.workers.list()).find((worker) => worker.name === name)?.state;

  test("is a process, which is started, paused, continued and killed, and the log says so each time", async () => {
    await incident(relight);
    const worker = await relight.workers.start({ name: "worker-1", ...DRAIN });
    const { pid } = worker;
    expect(readFileSync(`/proc/${pid}/cmdline`, "utf8")).toContain("worker.mjs");
    expect(await eventAt(relight, worker.cursor)).toMatchObject({
      type: "relight.worker.started",
      data: { name: "worker-1", pid },
    });
    await until("it has said what it claimed", async () => (await worker.output()) !== "");
    expect(await worker.output()).toBe("worker-1  claim      owner=apikey:remediator/worker-1 fence=1");

    const paused = await worker.pause();
    await frozen(pid);
    expect([paused.pid, await state("worker-1")]).toEqual([pid, "paused"]);
    const continued = await worker.continue();
    await until("it runs", () => !/^\d+ \(.*\) T/.test(readFileSync(`/proc/${pid}/stat`, "utf8")));
    expect([continued.pid, await state("worker-1")]).toEqual([pid, "running"]);

    const killed = await worker.kill();
    expect(isRunning(pid)).toBe(false);
    expect([killed.pid, await state("worker-1")]).toEqual([pid, "crashed"]);
    expect(await eventAt(relight, killed.cursor)).toMatchObject({
      type: "relight.worker.crashed",
      data: { name: "worker-1", pid, signal: "SIGKILL" },
    });
    expect(await told(relight)).toEqual([
      ["worker.started", pid],
      ["worker.paused", pid],
      ["worker.continued", pid],
      ["worker.crashed", pid],
    ]);
  });

  test("killed from a terminal is in the log as well", async () => {
    const { pid, cursor } = await relight.workers.start({ name: "worker-1", ...DRAIN });
    process.kill(pid, "SIGKILL");
    const { data } = await relight.events.next("worker.crashed", { after: cursor });
    expect(data).toMatchObject({ name: "worker-1", pid, signal: "SIGKILL" });
  });

  test("is there once: started again it is ALREADY_RUNNING, also paused; and after its death it is another", async () => {
    const worker = await relight.workers.start({ name: "worker-1", ...DRAIN });
    const again = () => relight.workers.start({ name: "worker-1", ...DRAIN });
    await expect(again()).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
    await worker.pause();
    await expect(again()).rejects.toMatchObject({ code: "ALREADY_RUNNING" });
    await worker.kill();
    const next = await again();
    expect(next.pid).not.toBe(worker.pid);
    expect(isRunning(next.pid)).toBe(true);
  });

  test("of many that are started at the same instant is one", async () => {
    const starts = Array.from({ length: 5 }, () => relight.workers.start({ name: "worker-1", ...DRAIN }));
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await told(relight)).toHaveLength(1);
  });

  test.each(["kill", "pause", "continue"] as const)(
    "that does not run cannot %s: NOT_RUNNING, and one that nobody knows is NOT_FOUND",
    async (what) => {
      await expect(relight.workers.worker("worker-1")[what]()).rejects.toMatchObject({ code: "NOT_RUNNING" });
      await expect(relight.workers.worker("worker-9")[what]()).rejects.toMatchObject({ code: "NOT_FOUND" });
      const worker = await relight.workers.start({ name: "worker-1", ...DRAIN });
      await worker.kill();
      await expect(worker[what]()).rejects.toMatchObject({ code: "NOT_RUNNING" });
    },
  );

  test.each([
    ["of a name that no key has", { name: "worker-9", ...DRAIN }, "NOT_FOUND"],
    ["of another role", { name: "diagnoser", ...DRAIN }, "NOT_FOUND"],
    ["in a scenario that is not known", { name: "worker-1", scenario: "explode" }, "INVALID"],
  ])("%s cannot be started", async (_, request, code) => {
    await expect(relight.workers.start(request)).rejects.toMatchObject({ code });
    expect(await relight.workers.list()).toEqual([]);
  });

  test("is the owner's to start: FORBIDDEN to a narrower scope", async () => {
    const response = await fetch(`${server.url}/api/workers`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "relight-as": '{"principal":"acme/@maria","roles":["owner"],"resources":["acme/@maria/*"]}',
      },
      body: JSON.stringify({ name: "worker-1", ...DRAIN }),
    });
    expect(response.status).toBe(403);
    expect(await relight.workers.list()).toEqual([]);
  });

  test("does not notice that the runtime is restarted", async () => {
    const { pid } = await relight.workers.start({ name: "worker-1", ...DRAIN });
    await relight.runtime.restart();
    expect([isRunning(pid), await state("worker-1")]).toEqual([true, "running"]);
    expect(await told(relight)).toEqual([["worker.started", pid]]);
  });

  test("is ended by a reset, also paused, and the fresh log knows nothing of it", async () => {
    const running = await relight.workers.start({ name: "worker-1", ...DRAIN });
    const paused = await relight.workers.start({ name: "worker-2", ...DRAIN });
    await paused.pause();
    await relight.reset();
    expect([isRunning(running.pid), isRunning(paused.pid)]).toEqual([false, false]);
    expect(await relight.workers.list()).toEqual([]);
    expect(await told(relight)).toEqual([]);
  });
});

test("a server that is killed takes its workers with it: the next one ends whatever froze, and says so", async () => {
  const first = await serve();
  const paused = await first.client.workers.start({ name: "worker-1", ...DRAIN });
  await paused.pause();
  await frozen(paused.pid);
  onTestFinished(() => {
    if (isRunning(paused.pid)) process.kill(paused.pid, "SIGKILL");
  });
  const running = await first.client.workers.start({ name: "worker-2", ...DRAIN });
  await first.kill();
  await gone(running.pid);
  expect(isRunning(paused.pid)).toBe(true);

  const second = await serve({ data: first.data });
  expect(isRunning(paused.pid)).toBe(false);
  const crashed = (await told(second.client)).filter(([type]) => type === "worker.crashed");
  expect(crashed).toEqual([
    ["worker.crashed", paused.pid],
    ["worker.crashed", running.pid],
  ]);
  const { pid } = await second.client.workers.start({ name: "worker-1", ...DRAIN });
  expect(isRunning(pid)).toBe(true);
});

test("a server that is stopped ends its workers first, also paused, and says that it stopped them", async () => {
  const first = await serve();
  const paused = await first.client.workers.start({ name: "worker-1", ...DRAIN });
  const running = await first.client.workers.start({ name: "worker-2", ...DRAIN });
  await paused.pause();
  process.kill(first.pid, "SIGTERM");
  expect(await first.exited).toEqual({ code: 0, signal: null });
  expect([isRunning(paused.pid), isRunning(running.pid)]).toEqual([false, false]);
  const second = await serve({ data: first.data });
  expect((await told(second.client)).slice(-2)).toEqual([
    ["worker.stopped", paused.pid],
    ["worker.stopped", running.pid],
  ]);
});

describe.concurrent("worker-1 is in the middle of draining a node", () => {
  /** Its first batch is done, and its first checkpoint saved. */
  async function draining(server: Server) {
    const { client } = server;
    await incident(client);
    const worker = await client.workers.start({ name: "worker-1", ...DRAIN });
    await client.events.next("checkpoint.saved", { after: worker.cursor });
    return worker;
  }
  const takeover = {
    by: "apikey:remediator/worker-2",
    fence: 2,
    tookOverFrom: "apikey:remediator/worker-1",
    tookOverFence: 1,
  };
  const summaryOf = async ({ client }: Server) => (await client.records().get(RECORD)).fields.summary;

  test("and dies: worker-2 takes over, reads that the plan was changed and why, and evicts nobody", async ({
    expect,
    onTestFinished,
  }) => {
    const server = await serve({ toolMs: TOOL_MS, cleanup: onTestFinished });
    const { client } = server;
    const { cursor } = await (await draining(server)).kill();
    expect((await client.world()).cluster).toMatchObject({ cordoned: true, evicted: 4 });

    const diagnoser = await clientOf(client, "diagnoser");
    await diagnoser.write(RECORD, "planned_action", "leave it", { evidence: "node-7 is healthy again" });
    await client.workers.start({ name: "worker-2", ...DRAIN });
    const taken = await client.events.next("field.taken_over", { after: cursor });
    expect(taken.data).toMatchObject(takeover);
    await client.events.next("field.released", { after: taken.sequence });
    expect((await client.world()).cluster.evicted).toBe(4);
    expect(await summaryOf(server)).toMatchObject({
      value: "Stopped at 4 of 11: node-7 is healthy again",
      by: "apikey:remediator/worker-2",
    });
  });

  test("and dies: worker-2, which ignores what changed, drains it all the same", async ({
    expect,
    onTestFinished,
  }) => {
    const server = await serve({ toolMs: TOOL_MS, cleanup: onTestFinished });
    const { client } = server;
    const { cursor } = await (await draining(server)).kill();
    const diagnoser = await clientOf(client, "diagnoser");
    await diagnoser.write(RECORD, "planned_action", "leave it", { evidence: "node-7 is healthy again" });
    await client.workers.start({ name: "worker-2", ...DRAIN, ignoreChanges: true });
    const taken = await client.events.next("field.taken_over", { after: cursor });
    expect(taken.data).toMatchObject(takeover);
    await client.events.next("field.released", { after: taken.sequence });
    expect((await client.world()).cluster).toMatchObject({ evicted: 11, pods: 0 });
    expect(await summaryOf(server)).toMatchObject({ value: "Drained: 11 of 11 pods evicted." });
  });

  test("and is paused past its lease: it wakes up to SUPERSEDED, and evicts nobody twice", async ({
    expect,
    onTestFinished,
  }) => {
    const server = await serve({ toolMs: TOOL_MS, cleanup: onTestFinished });
    const { client } = server;
    const zombie = await draining(server);
    const { cursor } = await zombie.pause();
    const worker = await client.workers.start({ name: "worker-2", ...DRAIN });
    const taken = await client.events.next("field.taken_over", { after: cursor });
    expect(taken.data).toMatchObject(takeover);
    await zombie.continue();
    await until("it was refused", async () => /SUPERSEDED/.test(await zombie.output()));
    const done = await client.events.next("field.released", { after: taken.sequence });

    const { cluster, acts } = await client.world();
    expect(cluster).toMatchObject({ evicted: 11, pods: 0 });
    expect(acts.flatMap((act) => (act.did === "evict" ? [act.pods] : []))).toEqual([4, 4, 3]);
    const { rows } = await client.records().history(RECORD);
    const meanwhile = rows.filter(({ sequence }) => sequence > taken.sequence && sequence < done.sequence);
    const late = meanwhile.filter(({ data }) => data.by === takeover.tookOverFrom);
    // All that the log has of it is that it wanted the field back.
    expect(late.filter(({ type }) => type !== "relight.field.claim_refused")).toEqual([]);
    expect(await worker.output()).toContain(`took_over_from=${takeover.tookOverFrom}`);
  });
});
