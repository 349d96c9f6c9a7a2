import { join } from "node:path";
import { expect, test } from "vitest";
import { Child } from "../../lib/agents/child";
import { root } from "../../lib/cli/build.mjs";
import { gone, isRunning, until } from "./os";
import { everyAskIsAnswered, promisesHold } from "./promises";
import { AGENT, CHARGE, STOCK, Stage } from "./stage";

test("a lookup whose process is killed runs again by itself, and the model never knows", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  const asked = await stage.ask(STOCK);
  const first = await stage.call(asked);
  const killed = await stage.agents.kill(AGENT);
  expect(killed).toMatchObject({ pid: first.data.pid, signal: "SIGKILL" });
  expect(isRunning(killed.pid)).toBe(false);

  const end = await stage.end(killed.cursor);
  expect(end.data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  const story = (await stage.log()).flatMap(({ type, data }) => {
    if (type === "relight.call.started") return [`${data.call} ${data.attempt}`];
    return type === "relight.agent.crashed" ? ["crash"] : [];
  });
  expect(story).toEqual([`${first.data.call} 1`, "crash", `${first.data.call} 2`]);
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
  await promisesHold(stage.playground.folder.store);
});

test("a charge whose process is killed waits for a person, and a denial settles it in the person's words", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  const asked = await stage.ask(CHARGE);
  await stage.call(asked);
  const killed = await stage.agents.kill(AGENT);
  expect((await stage.end(killed.cursor)).type).toBe("relight.run.interrupted");

  const [inDoubt, ...others] = await stage.agents.interrupts("open");
  expect(others).toEqual([]);
  expect(inDoubt).toMatchObject({
    kind: "in_doubt",
    agent: AGENT,
    call: { tool: "charge_card", input: { amount: 40, order: "1042" }, attempt: 1 },
    attempts: [{ attempt: 1, pid: killed.pid, why: "killed by SIGKILL" }],
  });
  const denied = await stage.agents.deny(inDoubt?.id ?? "", { reason: "It went through. I checked." });
  expect(denied.interrupt).toMatchObject({ status: "denied", decidedBy: "owner" });
  expect((await stage.end(denied.cursor)).data).toMatchObject({ answer: "It went through. I checked." });
  expect((await stage.playground.world()).toolRuns).toEqual({ charge_card: 1 });
  await promisesHold(stage.playground.folder.store);
});

test("an approval charges again, once: killed again, it is in doubt again", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  await stage.call(await stage.ask(CHARGE));
  await stage.end((await stage.agents.kill(AGENT)).cursor);
  const [first] = await stage.agents.interrupts("open");

  const approved = await stage.agents.approve(first?.id ?? "");
  const again = await stage.call(approved.cursor);
  expect(again.data.attempt).toBe(2);
  const killed = await stage.agents.kill(AGENT);
  expect((await stage.end(killed.cursor)).type).toBe("relight.run.interrupted");
  const [second] = await stage.agents.interrupts("open");
  expect(second?.id).not.toBe(first?.id);
  expect(second?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);

  const end = await stage.settle(killed.cursor);
  expect(end.type).toBe("relight.run.completed");
  expect((await stage.playground.world()).toolRuns).toEqual({ charge_card: 2 });
  await promisesHold(stage.playground.folder.store);
});

test.each([
  { ask: STOCK, type: "relight.run.completed", runs: { check_stock: 2 } },
  { ask: CHARGE, type: "relight.run.interrupted", runs: { charge_card: 1 } },
])("a stop of the runtime in the middle of “$ask” is like a crash to it", async ({ ask, type, runs }) => {
  const stage = await Stage.open({ toolMs: 300 });
  const { data } = await stage.call(await stage.ask(ask));
  const stopped = await stage.playground.stop();
  expect(isRunning(data.pid)).toBe(false);
  expect(stopped.processes).toEqual([]);
  expect((await stage.log()).at(-1)).toMatchObject({
    type: "relight.agent.stopped",
    data: { pid: data.pid, why: "runtime stopped" },
  });

  const started = await stage.playground.start();
  expect((await stage.end(started.cursor)).type).toBe(type);
  expect((await stage.playground.world()).toolRuns).toEqual(runs);
  await promisesHold(stage.playground.folder.store);
});

test("asks and decisions are taken while the runtime is stopped, and acted on when it starts", async () => {
  const stage = await Stage.open({ toolMs: 100 });
  await stage.call(await stage.ask(CHARGE));
  await stage.end((await stage.agents.kill(AGENT)).cursor);
  await stage.playground.stop();

  const [inDoubt] = await stage.agents.interrupts("open");
  await stage.agents.approve(inDoubt?.id ?? "");
  await stage.ask(STOCK);
  expect(await stage.agents.get(AGENT)).toMatchObject({ status: "recovering", pid: null, queued: 1 });

  const started = await stage.playground.start();
  const charged = await stage.end(started.cursor);
  expect(charged.data).toMatchObject({ answer: "Charged $40." });
  expect((await stage.end(charged.sequence)).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  everyAskIsAnswered(await stage.log());
  await promisesHold(stage.playground.folder.store);
});

test("one call in doubt does not hold up the others of its turn", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  await stage.call(await stage.ask("Charge $40 for order 1042. How many SKU-7, SKU-8?"));
  const killed = await stage.agents.kill(AGENT);
  const end = await stage.end(killed.cursor);
  expect(end.type).toBe("relight.run.interrupted");
  const completed = (await stage.log()).flatMap((event) =>
    event.type === "relight.call.completed" ? [event.data.tool.name] : [],
  );
  expect(completed).toEqual(["check_stock", "check_stock"]);
  const settled = await stage.settle(killed.cursor, "approve");
  expect(settled.data).toMatchObject({ answer: "SKU-7: 3 in stock. SKU-8: 3 in stock. Charged $40." });
  await promisesHold(stage.playground.folder.store);
});

test("a process that is killed from a terminal comes back just the same", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  const asked = await stage.ask(STOCK);
  const { data } = await stage.call(asked);
  process.kill(data.pid, "SIGTERM");
  await gone(data.pid);
  expect((await stage.event("relight.agent.crashed", asked)).data).toMatchObject({
    pid: data.pid,
    signal: "SIGTERM",
  });
  expect((await stage.end(asked)).type).toBe("relight.run.completed");
});

test("a kill without a process says so", async () => {
  const stage = await Stage.open();
  await expect(stage.agents.kill(AGENT)).rejects.toMatchObject({ code: "NOT_RUNNING" });
});

test("an agent with nothing to do leaves, and its next ask finds another process", async () => {
  const stage = await Stage.open({ toolMs: 0 });
  const asked = await stage.ask(STOCK);
  const { data } = await stage.event("relight.agent.stopped", asked);
  expect(data.why).toBe("idle");
  await gone(data.pid);
  await until("the card shows no process", async () => (await stage.agents.get(AGENT)).pid === null);
  const again = await stage.ask(STOCK);
  expect((await stage.end(again)).type).toBe("relight.run.completed");
  everyAskIsAnswered(await stage.log());
});

test("a tool call costs two commits: the turn with its start, and the result with what follows", async () => {
  const stage = await Stage.open({ toolMs: 0 });
  await stage.end(await stage.ask(STOCK));
  const commits = new Map<number, string[]>();
  for (const { commit, type } of await stage.log()) {
    if (/turn|call|run/.test(type)) commits.set(commit, [...(commits.get(commit) ?? []), type.slice(8)]);
  }
  expect([...commits.values()]).toEqual([
    ["run.started"],
    ["turn.saved", "call.started"],
    ["call.completed"],
    ["turn.saved", "run.completed"],
  ]);
});

test("a process whose runtime was displaced cannot start an agent", async () => {
  const stage = await Stage.open();
  const { folder } = stage.playground;
  const child = new Child({
    entry: join(root, "dist", "agent.mjs"),
    registry: folder.registry,
    prepare: { do: "prepare", store: folder.storePath, capabilities: {} },
    onLine: () => {},
    onReached: () => {},
    onSpeech: () => {},
  });
  await child.ready;
  child.send({ do: "activate", agent: AGENT, runtimeFence: 0, lingerMs: 0, keys: {} });
  expect(await child.exited).toEqual({ exitCode: 1, signal: null });
  expect((await stage.log()).map(({ type }) => type)).toEqual(["relight.agent.defined"]);
});

test("a run that takes more turns than its definition allows fails, and says so", async () => {
  const stage = await Stage.open({ toolMs: 0 });
  const definition = { model: "scripted:shop", instructions: "", tools: ["shop"], limits: { maxTurns: 1 } };
  await stage.agents.define(AGENT, definition);
  const end = await stage.end(await stage.ask(STOCK));
  expect(end.data).toMatchObject({
    error: { code: "LIMIT", message: "The run took 1 turns; 1 is the most." },
  });
  expect((await stage.agents.get(AGENT)).status).toBe("failed");
});
