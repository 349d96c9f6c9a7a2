/** What a tool's end means: only `ToolError` says that it did not happen. */
import { expect, test } from "vitest";
import { BOOKS_THEN_HANGS, BOOKS_THEN_THROWS, DECLINED, TOO_MUCH_TO_SAY } from "../fixtures/trouble-shop";
import { gone, isRunning } from "./os";
import { promisesHold } from "./promises";
import { Stage } from "./stage";

const charge = (amount: number): string => `Charge Maria's card $${amount} for order 1042.`;

test("a charge that books and then throws is in doubt, not failed", async () => {
  const stage = await Stage.open({ trouble: true });
  const asked = await stage.ask(charge(BOOKS_THEN_THROWS));
  const { data } = await stage.call(asked);
  expect((await stage.end(asked)).type).toBe("relight.run.interrupted");
  await gone(data.pid);
  const [inDoubt] = await stage.agents.interrupts("open");
  expect(inDoubt?.attempts).toMatchObject([{ attempt: 1, why: "charge_card threw: socket hang up" }]);
  const { bank, toolRuns } = await stage.playground.world();
  expect(bank).toHaveLength(1);
  expect(toolRuns).toEqual({ charge_card: 1 });
  await promisesHold(stage.playground.folder.store);
});

test("a charge that says that it did not happen has failed, and the model reads why", async () => {
  const stage = await Stage.open({ trouble: true });
  const asked = await stage.ask(charge(DECLINED));
  const failed = await stage.event("relight.call.failed", asked);
  expect(failed.data.error).toEqual({ code: "TOOL_ERROR", message: "Card declined." });
  const end = await stage.end(asked);
  expect(end.type).toBe("relight.run.completed");
  expect(JSON.stringify(end.data)).toContain("Card declined.");
  expect(await stage.agents.interrupts()).toEqual([]);
});

test("a charge that runs past its time is in doubt once its process is gone", async () => {
  const stage = await Stage.open({ trouble: true });
  const asked = await stage.ask(charge(BOOKS_THEN_HANGS));
  const { data } = await stage.call(asked);
  const opened = await stage.event("relight.interrupt.opened", asked);
  expect(isRunning(data.pid)).toBe(false);
  expect(opened.data.attempt).toBe(1);
  const [inDoubt] = await stage.agents.interrupts("open");
  expect(inDoubt?.attempts[0]?.why).toMatch(/took longer than 400 ms/);
  expect((await stage.playground.world()).bank).toHaveLength(1);
});

test.each([
  { code: "TOOL_FAILED", ask: "How many SKU-THROWS?", says: "the warehouse is closed" },
  { code: "TIMEOUT", ask: "How many SKU-HANGS?", says: "took longer than 400 ms" },
  { code: "TOO_LARGE", ask: charge(TOO_MUCH_TO_SAY), says: "307200 bytes" },
  { code: "INVALID_ARGUMENTS", ask: "Charge Maria's card $40.50 for order 1042.", says: "expected int" },
])("$code fails the call, and the run goes on", async ({ code, ask, says }) => {
  const stage = await Stage.open({ trouble: true });
  const asked = await stage.ask(ask);
  const failed = await stage.event("relight.call.failed", asked);
  expect(failed.data.error.code).toBe(code);
  expect(failed.data.error.message).toContain(says);
  expect((await stage.end(asked)).type).toBe("relight.run.completed");
  await promisesHold(stage.playground.folder.store);
});
