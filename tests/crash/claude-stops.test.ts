/** Why a message of Claude's ended, and what the run makes of it. */
import { expect, test } from "vitest";
import { type Block, call, type Reply, say, text, use } from "../fixtures/messages-replies";
import { claude, resultsOf, typed } from "./claude-stage";
import { promisesHold } from "./promises";
import { AGENT, STOCK } from "./stage";

test("a message that ended the run: completed, marked where it is not whole, and the next ask is taken", async () => {
  const { stage, api } = await claude();
  const charge = use("charge_card", { amount: 40, order: "1042" });
  const cases: [Reply, answer: string, stop?: string][] = [
    [say("Three.", { stop: "end_turn" }), "Three."],
    [say("Three.", { stop: "stop_sequence" }), "Three."],
    [say("Well, I", { stop: "max_tokens" }), "Well, I", "max_tokens"],
    [say("Well, I", { stop: "refusal" }), "Well, I", "refusal"],
    // Before the first word,
    [{ content: [], stop: "refusal" }, "", "refusal"],
    // and in the middle of a turn: what it had asked for never runs.
    [{ ...call(text("I charge it."), charge), stop: "refusal" }, "I charge it.", "refusal"],
    [{ content: [] }, ""],
  ];
  for (const [reply, answer, stop] of cases) {
    api.reply(reply);
    const { type, data } = await stage.end(await stage.ask("Well?"));
    expect(type).toBe("relight.run.completed");
    expect(data).toMatchObject({ answer });
    expect("stop" in data ? data.stop : undefined).toBe(stop);
  }
  // As a model sometimes answers a tool's result.
  api.reply(call(use("check_stock", { sku: "SKU-7" })), { content: [] });
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "" });

  // What came is not whole: failed, and none of it is saved.
  api.reply({ ...call(charge), stop: "model_context_window_exceeded" });
  const failed = await stage.end(await stage.ask("Charge."));
  expect(failed.data).toMatchObject({ error: { code: "CONTEXT_WINDOW" } });
  expect(typed(await stage.log(), "relight.turn.saved")).toHaveLength(cases.length + 2);

  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
});

test("max_tokens in a call: it never runs, and the model reads that it was cut", async () => {
  const { stage, api } = await claude();
  const whole = JSON.stringify({ amount: 40, order: "1042" });
  for (const json of [whole.slice(0, 12), whole]) {
    const lookup = use("check_stock", { sku: "SKU-7" });
    const cut: Block = { ...use("charge_card", {}), json };
    api.reply({ ...call(text("Both."), lookup, cut), stop: "max_tokens" }, say("I see."));
    const end = await stage.end(await stage.ask("Both."));
    expect(end.data).toMatchObject({ answer: "I see." });
    expect(end.data).not.toHaveProperty("stop");
    expect(resultsOf(api.requests.at(-1)?.body)).toEqual([
      { type: "tool_result", tool_use_id: lookup.id, content: "SKU-7: 3 in stock." },
      {
        type: "tool_result",
        tool_use_id: cut.id,
        content: expect.stringMatching(/^CUT: .*did not run/),
        is_error: true,
      },
    ]);
  }
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
  const stops = typed(await stage.log(), "relight.turn.saved").map(({ data }) => data.stop);
  expect(stops).toEqual(["max_tokens", undefined, "max_tokens", undefined]);
  await promisesHold(stage.playground.folder.store);
});

test("pause_turn: it goes on where it paused, as one message and one answer; for ever, until the limit", async () => {
  const { stage, api } = await claude({ limits: { maxTurns: 3 } });
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "SKU-7" } };
  const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
  const paused = [text("I search."), search, found, text("I look further. \n")];
  api.reply({ content: paused, stop: "pause_turn" }, say("It is Maria's."));
  const end = await stage.end(await stage.ask("Whose is SKU-7?"));
  expect(end.data).toMatchObject({ answer: "I search.\n\nI look further. \n\n\nIt is Maria's." });
  expect(end.data).not.toHaveProperty("stop");
  const { messages } = await api.asked(2);
  expect(messages.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect(messages[1]?.content.slice(0, 3)).toEqual(paused.slice(0, 3));
  expect((await stage.agents.messages(AGENT)).map(({ role }) => role)).toEqual(["user", "assistant"]);

  api.answer = () => ({ content: [text("Hm.")], stop: "pause_turn" });
  expect((await stage.end(await stage.ask("Go on."))).data).toMatchObject({ error: { code: "LIMIT" } });
  expect(api.requests).toHaveLength(5);
  // The next run goes without what only the first one needed.
  expect((await api.asked(3)).messages[1]?.content.map(({ type }) => type)).toEqual(["text", "text", "text"]);
  await promisesHold(stage.playground.folder.store);
});

test("thinking comes back unchanged in its turn, and not in the next", async () => {
  const { stage, api } = await claude();
  const thinking = { type: "thinking", thinking: "Where is\nSKU-7? ", signature: "c2lnbmVk" };
  const redacted = { type: "redacted_thinking", data: "b3BhcXVl" };
  api.reply(call(thinking, redacted, text("Let me look."), use("check_stock", { sku: "SKU-7" })));
  api.reply(call({ ...thinking, signature: "YWdhaW4=" }, use("check_stock", { sku: "SKU-8" })));
  const end = await stage.end(await stage.ask(STOCK));
  expect(end.data).toMatchObject({ answer: "SKU-8: 3 in stock." });
  const { messages } = await api.asked(3);
  expect(messages[1]?.content.slice(0, 2)).toEqual([thinking, redacted]);
  expect(messages[3]?.content[0]).toEqual({ ...thinking, signature: "YWdhaW4=" });
  await stage.end(await stage.ask(STOCK));
  expect(JSON.stringify(await api.asked(4))).not.toContain("thinking");
});
