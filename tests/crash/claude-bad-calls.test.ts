/** What Claude asks for and cannot have: it reads why, nothing runs, and the conversation stays one that the API takes. */
import { expect, test } from "vitest";
import { type Block, call, say, use } from "../fixtures/messages-replies";
import { type ClaudeStage, claude, resultsOf, typed } from "./claude-stage";
import { promisesHold } from "./promises";
import { AGENT } from "./stage";

const raw = (json: string, name = "charge_card"): Block => ({ ...use(name, {}), json });

/** One turn of these calls, and then an answer. @returns what the model read */
async function read({ stage, api }: ClaudeStage, ...calls: Block[]) {
  const before = api.requests.length;
  api.reply(call(...calls), say("I see."));
  expect((await stage.end(await stage.ask("Go."))).data).toMatchObject({ answer: "I see." });
  return resultsOf(await api.asked(before + 2));
}

test("no such tool, and arguments that are none: each is that call's own result", async () => {
  const claudeStage = await claude();
  const { stage } = claudeStage;
  const cases: [Block, RegExp][] = [
    [
      use("launch_rocket", {}),
      /^UNKNOWN_TOOL: There is no tool launch_rocket; there are: check_stock, charge_card/,
    ],
    [use("check stock, please! 🦊", {}), /^UNKNOWN_TOOL: /],
    [use("x".repeat(1000), {}), /^UNKNOWN_TOOL: /],
    [use("constructor", {}), /^UNKNOWN_TOOL: /],
    [raw("{amount: 40}"), /^INVALID_ARGUMENTS: charge_card: expected a JSON object.*came \{amount: 40\}/],
    [raw('{"amount":4'), /^INVALID_ARGUMENTS: /],
    [raw("[40]"), /^INVALID_ARGUMENTS: .*came \[40\]/],
    [raw("40"), /^INVALID_ARGUMENTS: .*came 40/],
    [raw('"$40"'), /^INVALID_ARGUMENTS: .*came "\$40"/],
    [raw("null"), /^INVALID_ARGUMENTS: .*came null/],
    [use("charge_card", { amount: "forty" }), /^INVALID_ARGUMENTS: charge_card: .*amount/],
    [use("charge_card", { amount: -1 }), /^INVALID_ARGUMENTS: charge_card: .*amount/],
    [use("check_stock", {}), /^INVALID_ARGUMENTS: check_stock: .*sku/],
  ];
  // All of them in one turn, which is one bad turn.
  const results = await read(claudeStage, ...cases.map(([block]) => block));
  for (const [index, [block, says]] of cases.entries()) {
    expect(results[index]).toMatchObject({ tool_use_id: block.id, is_error: true });
    expect(results[index]?.content).toMatch(says);
  }
  const log = await stage.log();
  expect(typed(log, "relight.call.failed")).toHaveLength(cases.length);
  expect(typed(log, "relight.call.started")).toEqual([]);
  expect((await stage.playground.world()).toolRuns).toEqual({});
  await promisesHold(stage.playground.folder.store);
});

test("calls that cannot be told apart do not run, and hold up no good ones; ids that are odd do no harm", async () => {
  const claudeStage = await claude();
  const lookup = (id: string) => use("check_stock", { sku: "SKU-7" }, id);
  const charge = () => use("charge_card", { amount: 40, order: "1042" }, "toolu_twin");
  const results = await read(claudeStage, charge(), lookup("toolu_good"), raw("[]"), charge());
  expect(results.map(({ is_error }) => is_error)).toEqual([true, undefined, true, true]);
  expect(results[1]).toMatchObject({ tool_use_id: "toolu_good", content: "SKU-7: 3 in stock." });
  for (const twin of [results[0], results[3]])
    expect(twin?.content).toMatch(/^INVALID_ARGUMENTS: Two calls of this turn had one id, toolu_twin\./);

  // Given again in a later turn, or none that the API would take back: these run.
  for (const id of ["toolu_good", "toolu_good", "toolu_twin", "not an id", "not an id", ""])
    expect(await read(claudeStage, lookup(id))).toMatchObject([{ content: "SKU-7: 3 in stock." }]);
  expect((await claudeStage.stage.playground.world()).toolRuns).toEqual({ check_stock: 7 });
  await promisesHold(claudeStage.stage.playground.folder.store);
});

test("three turns in a row that ask for what cannot be run: failed; with a good one between, it goes on", async () => {
  const { stage, api } = await claude();
  const bad = () => call(use("launch_rocket", {}));
  api.reply(bad(), bad(), bad());
  const end = await stage.end(await stage.ask("Go."));
  expect(end.data).toMatchObject({
    error: { code: "BAD_CALLS", message: expect.stringContaining("3 turns in a row") },
  });
  expect(api.requests).toHaveLength(3);

  // Retried, it may do so again.
  api.reply(bad(), bad(), say("I give up."));
  const { cursor } = await stage.agents.retry(AGENT);
  expect((await stage.end(cursor)).data).toMatchObject({ answer: "I give up." });

  api.reply(bad(), bad(), call(use("check_stock", { sku: "SKU-7" })), bad(), bad(), say("Three."));
  expect((await stage.end(await stage.ask("Go."))).data).toMatchObject({ answer: "Three." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 1 });
  await promisesHold(stage.playground.folder.store);
});
