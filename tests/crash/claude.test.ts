/** Notebook 1 with Claude as the model: what holds for the scripted one holds for it. */
import { expect, test } from "vitest";
import { call, text, use } from "../fixtures/messages-replies";
import { claude, resultsOf } from "./claude-stage";
import { promisesHold } from "./promises";
import { AGENT, CHARGE, STOCK } from "./stage";

test("a lookup, a charge, and both at once: each request is one that the API takes", async () => {
  const { stage, api } = await claude();
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({
    answer: "SKU-7: 3 in stock.",
    usage: { inputTokens: 200, outputTokens: 40 },
  });
  expect((await stage.end(await stage.ask(CHARGE))).data).toMatchObject({ answer: "Charged $40." });
  const both = await stage.end(await stage.ask(`${STOCK} ${CHARGE}`));
  expect(both.data).toMatchObject({ answer: "SKU-7: 3 in stock. Charged $40." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2, charge_card: 2 });

  const [first, ...others] = api.requests.map(({ body }) => body);
  expect(first).toMatchObject({ model: "claude-haiku-4-5", system: "You run Maria's shop.", stream: true });
  expect(first?.tools?.map(({ name }) => name)).toEqual(["check_stock", "charge_card"]);
  // Each request repeats what was sent and said before, to the letter.
  expect(others.map(({ messages }) => messages.length)).toEqual([3, 5, 7, 9, 11]);
  for (const { messages } of others) expect(messages[0]).toEqual(first?.messages[0]);
  const last = others
    .at(-1)
    ?.messages.slice(-2)
    .map(({ content }) => content);
  expect(last).toMatchObject([
    [
      { type: "tool_use", name: "check_stock", input: { sku: "SKU-7" } },
      { type: "tool_use", name: "charge_card", input: { amount: 40, order: "1042" } },
    ],
    [{ content: "SKU-7: 3 in stock." }, { content: "Charged $40." }],
  ]);
  await promisesHold(stage.playground.folder.store);
});

test("a lookup whose process is killed runs again, and the model is not asked again for its turn", async () => {
  const { stage, api } = await claude({ toolMs: 300 });
  await stage.call(await stage.ask(STOCK));
  const killed = await stage.agents.kill(AGENT);
  expect((await stage.end(killed.cursor)).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
  expect(api.requests).toHaveLength(2);
  await promisesHold(stage.playground.folder.store);
});

test("a charge cut by a stop of the runtime waits for a person, whose words the model reads as its result", async () => {
  const { stage, api } = await claude({ toolMs: 300 });
  api.reply(call(text("I charge it."), use("charge_card", { amount: 40, order: "1042" }, "toolu_charge")));
  const asked = await stage.ask(CHARGE);
  await stage.call(asked);
  await stage.playground.stop();
  await stage.playground.start();
  expect((await stage.end(asked)).type).toBe("relight.run.interrupted");
  expect(api.requests).toHaveLength(1);

  const [inDoubt] = await stage.agents.interrupts("open");
  const reason = "It went through: the bank's statement has it.";
  const denied = await stage.agents.deny(inDoubt?.id ?? "", { reason });
  expect((await stage.end(denied.cursor)).data).toMatchObject({ answer: reason });
  expect(resultsOf(await api.asked(2))).toEqual([
    { type: "tool_result", tool_use_id: "toolu_charge", content: reason },
  ]);
  expect((await stage.playground.world()).toolRuns).toEqual({ charge_card: 1 });
  await promisesHold(stage.playground.folder.store);
});

test("a conversation that the scripted model began is one that Claude can go on with, with tools or without", async () => {
  const { stage, api } = await claude();
  const { definition } = await stage.agents.get(AGENT);
  await stage.agents.define(AGENT, { ...definition, model: "scripted:shop" });
  await stage.end(await stage.ask(STOCK));
  await stage.agents.define(AGENT, definition);
  expect((await stage.end(await stage.ask(CHARGE))).data).toMatchObject({ answer: "Charged $40." });
  await stage.agents.define(AGENT, { ...definition, tools: [] });
  expect((await stage.end(await stage.ask("Thanks."))).type).toBe("relight.run.completed");
  expect(api.requests).toHaveLength(3);
});
