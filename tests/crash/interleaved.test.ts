/** A person acts while the agent's process stands between reading and writing: frozen there by SIGSTOP. */
import { describe, expect, test } from "vitest";
import { frozen } from "./os";
import { everyAskIsAnswered, promisesHold } from "./promises";
import { AGENT, CHARGE, STOCK, Stage } from "./stage";

const COMMITS = ["run-started", "turn-saved", "call-completed", "run-completed", "agent-stopped"];

const DEFINITION = { model: "scripted:shop", instructions: "Changed meanwhile.", tools: ["shop"] };

/** Waits until the agent's process has frozen at the point it was armed with, acts, and lets it go on. */
async function whileFrozen(stage: Stage, act: () => Promise<unknown>): Promise<void> {
  const pid = (await stage.agents.get(AGENT)).pid ?? stage.runtime.processes()[0]?.pid ?? 0;
  await frozen(pid);
  await act();
  process.kill(pid, "SIGCONT");
}

describe.each(COMMITS)("before %s", (commit) => {
  test("an ask is not stranded, and comes after the one before it", async () => {
    const stage = await Stage.open({ toolMs: 20 });
    stage.arm(`before-${commit}`, "freeze");
    const asked = await stage.ask(STOCK);
    await whileFrozen(stage, () => stage.ask("How many SKU-9 do we have?"));
    const first = await stage.end(asked);
    expect(first.data).toMatchObject({ answer: "SKU-7: 3 in stock." });
    expect((await stage.end(first.sequence)).data).toMatchObject({ answer: "SKU-9: 3 in stock." });
    everyAskIsAnswered(await stage.log());
    await promisesHold(stage.playground.folder.store);
    expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
  });

  test("a new definition is in the log, and the open run keeps its own", async () => {
    const stage = await Stage.open({ toolMs: 20 });
    stage.arm(`before-${commit}`, "freeze");
    const asked = await stage.ask(STOCK);
    await whileFrozen(stage, () => stage.agents.define(AGENT, DEFINITION));
    const first = await stage.end(asked);
    expect(first.type).toBe("relight.run.completed");
    const second = await stage.end(await stage.ask(STOCK));
    expect(second.type).toBe("relight.run.completed");
    const definitions = (await stage.log()).flatMap((event) =>
      event.type === "relight.run.started" ? [event.data.definition.instructions] : [],
    );
    const before = commit === "run-started" ? DEFINITION.instructions : "You run Maria's shop.";
    expect(definitions).toEqual([before, DEFINITION.instructions]);
    everyAskIsAnswered(await stage.log());
    await promisesHold(stage.playground.folder.store);
  });
});

describe.each(["after-run-interrupted", "before-agent-stopped"])("in doubt, %s", (at) => {
  test.each(["approve", "deny"] as const)("%s is not missed", async (decision) => {
    const stage = await Stage.open({ toolMs: 300 });
    await stage.call(await stage.ask(CHARGE));
    stage.arm(at, "freeze");
    const killed = await stage.agents.kill(AGENT);
    await stage.event("relight.run.interrupted", killed.cursor);
    const [inDoubt] = await stage.agents.interrupts("open");
    let cursor = 0;
    await whileFrozen(stage, async () => {
      const decided =
        decision === "approve"
          ? await stage.agents.approve(inDoubt?.id ?? "")
          : await stage.agents.deny(inDoubt?.id ?? "", { reason: "It went through." });
      cursor = decided.cursor;
    });
    const end = await stage.end(cursor);
    expect(end.data).toMatchObject({ answer: decision === "approve" ? "Charged $40." : "It went through." });
    expect((await stage.playground.world()).toolRuns.charge_card).toBe(decision === "approve" ? 2 : 1);
    await promisesHold(stage.playground.folder.store);
  });
});

test("a process that is about to leave reads what came, and stays: its leave is BEHIND", async () => {
  const stage = await Stage.open({ toolMs: 20 });
  stage.arm("before-agent-stopped", "freeze");
  const asked = await stage.ask(STOCK);
  const first = await stage.end(asked);
  let cursor = 0;
  await whileFrozen(stage, async () => {
    cursor = await stage.ask(STOCK);
  });
  await stage.end(cursor);
  const log = await stage.log();
  const between = log.filter(({ sequence }) => sequence > first.sequence).map(({ type }) => type.slice(8));
  // Neither a stop nor a new start: the same process did both.
  expect(between.slice(0, 2)).toEqual(["ask.received", "run.started"]);
  expect(log.filter(({ type }) => type === "relight.agent.started")).toHaveLength(1);
});

test("what is decided before anybody was told of it is not told any more", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  await stage.call(await stage.ask("Charge $40 for order 1042. How many SKU-7?"));
  stage.arm("before-run-interrupted", "freeze");
  const killed = await stage.agents.kill(AGENT);
  await stage.event("relight.interrupt.opened", killed.cursor);
  let cursor = 0;
  await whileFrozen(stage, async () => {
    const [inDoubt] = await stage.agents.interrupts("open");
    ({ cursor } = await stage.agents.deny(inDoubt?.id ?? "", { reason: "It went through." }));
  });
  expect((await stage.end(cursor)).type).toBe("relight.run.completed");
  // What it was about to tell was no longer so.
  expect((await stage.log()).some(({ type }) => type === "relight.run.interrupted")).toBe(false);
  await promisesHold(stage.playground.folder.store);
});

test("a decision lands while another call of the turn is about to be written: both are kept", async () => {
  const stage = await Stage.open({ toolMs: 300 });
  await stage.call(await stage.ask("Charge $40 for order 1042. How many SKU-7?"));
  stage.arm("before-call-completed", "freeze");
  const killed = await stage.agents.kill(AGENT);
  await stage.event("relight.interrupt.opened", killed.cursor);
  await whileFrozen(stage, async () => {
    const [inDoubt] = await stage.agents.interrupts("open");
    await stage.agents.deny(inDoubt?.id ?? "", { reason: "It went through." });
  });
  const end = await stage.end(killed.cursor);
  expect(end.data).toMatchObject({ answer: "SKU-7: 3 in stock. It went through." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2, charge_card: 1 });
  await promisesHold(stage.playground.folder.store);
});
