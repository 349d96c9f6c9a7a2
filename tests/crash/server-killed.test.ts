/** The whole server is killed with SIGKILL, at the worst moments, and started again on the same directory. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openSqliteStore } from "../../lib/store";
import { gone, until } from "./os";
import { everyAskIsAnswered, promisesHold } from "./promises";
import { serve } from "./server";
import { AGENT, CHARGE, STOCK } from "./stage";

/** Checks the log from outside, once no server has it open. */
async function logHolds(data: string): Promise<void> {
  const { current } = JSON.parse(readFileSync(join(data, "relight.json"), "utf8")) as { current: string };
  const store = openSqliteStore({ path: join(data, current, "relight.db") });
  try {
    await promisesHold(store);
  } finally {
    store.close();
  }
}

test.each([
  { what: "a lookup", ask: STOCK, type: "relight.run.completed", runs: { check_stock: 2 } },
  { what: "a charge", ask: CHARGE, type: "relight.run.interrupted", runs: { charge_card: 1 } },
])("in the middle of $what: its agents die with it, and the run goes on", async ({ ask, type, runs }) => {
  const first = await serve({ toolMs: 1000 });
  const agent = await first.define();
  const { cursor } = await agent.ask(ask);
  const call = await agent.running({ after: cursor });
  await until(
    "its tool has begun",
    async () => (await first.client.world()).toolRuns[call.data.tool.name] === 1,
  );
  const { processes } = await first.client.runtime.status();
  await first.kill();
  for (const { pid } of processes) await gone(pid);

  const second = await serve({ data: first.data, toolMs: 100 });
  const again = second.client.agent(AGENT);
  const end = await again.runEnd({ after: cursor });
  expect(end.type).toBe(type);
  const crashed = (await again.events()).events.filter((event) => event.type === "relight.agent.crashed");
  expect(crashed.map(({ data }) => data)).toMatchObject([{ pid: call.data.pid }]);
  expect((await second.client.world()).toolRuns).toEqual(runs);
  await second.kill();
  await logHolds(second.data);
});

test.each(
  ["ask-received", "agent-crashed", "interrupt-decided", "agent-defined", "runtime-started"].flatMap(
    (commit) => ["before", "inside", "after"].map((when) => `${when}-${commit}`),
  ),
)("at its own crash point %s: what it acknowledged is there, and nothing is half-done", async (crashAt) => {
  const first = await serve({ toolMs: 300 });
  const agent = await first.define();
  await first.client.runtime.stop();
  const earlier = await agent.ask(CHARGE);
  await first.client.runtime.start();
  await agent.running({ after: earlier.cursor });
  await until("its tool has begun", async () => (await first.client.world()).toolRuns.charge_card === 1);
  if (!crashAt.endsWith("agent-crashed")) {
    const killed = await agent.kill();
    await agent.runEnd({ after: killed.cursor });
  }
  await first.kill();

  const doomed = await serve({ data: first.data, toolMs: 300, crashAt });
  const ask = { id: "the-ask" };
  if (doomed.url !== "") {
    // Whatever of this is not answered may or may not have happened; it is sent again below.
    const mine = doomed.client.agent(AGENT);
    await Promise.allSettled([mine.ask(STOCK, ask), doomed.define()]);
    const [inDoubt] = await doomed.client.interrupts.list("open").catch(() => []);
    if (inDoubt) await mine.deny(inDoubt.id, { reason: "It went through." }).catch(() => {});
    if (/agent-crashed/.test(crashAt)) await mine.kill().catch(() => {});
  }
  expect(await doomed.exited).toEqual({ code: null, signal: "SIGKILL" });

  const third = await serve({ data: first.data, toolMs: 0 });
  const revived = await third.define();
  const { cursor } = await revived.ask(STOCK, ask);
  for (const { id } of await third.client.interrupts.list("open")) {
    await revived.deny(id, { reason: "It went through." });
  }
  await until("every run has ended", async () => {
    const { status, queued } = await revived.get();
    return status === "idle" && queued === 0;
  });
  const { events } = await revived.events({ limit: 1000 });
  expect(events.filter(({ type }) => type === "relight.ask.received")).toHaveLength(2);
  expect(events.some(({ sequence }) => sequence === cursor)).toBe(true);
  everyAskIsAnswered(events);
  expect((await third.client.world()).toolRuns.charge_card).toBe(1);
  await third.kill();
  await logHolds(first.data);
});
