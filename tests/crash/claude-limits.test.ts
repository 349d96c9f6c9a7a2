/** A run has limits, and a failed one can be gone on with. */
import { expect, test } from "vitest";
import { call, say, use } from "../fixtures/messages-replies";
import { claude, typed } from "./claude-stage";
import { AGENT, CHARGE, STOCK } from "./stage";

const usage = { input_tokens: 90, output_tokens: 10 };
const lookup = () => ({ ...call(use("check_stock", { sku: "SKU-7" })), usage });

test("past its limit of turns or tokens a run fails before it asks for more; a retry counts anew", async () => {
  const { stage, api } = await claude({ limits: { maxTurns: 2 } });
  api.reply(lookup(), lookup(), lookup(), say("Three."));
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({
    error: { code: "LIMIT", message: "The run took 2 turns; 2 is the most." },
  });
  let { cursor } = await stage.agents.retry(AGENT);
  expect((await stage.end(cursor)).data).toMatchObject({ answer: "Three." });
  const turns = typed(await stage.log(), "relight.turn.saved").map(({ data }) => data.turn);
  expect(turns).toEqual([1, 2, 3, 4]);

  const { definition } = await stage.agents.get(AGENT);
  await stage.agents.define(AGENT, { ...definition, limits: { maxTokens: 150 } });
  api.reply(lookup(), lookup(), say("Three.", { usage }));
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({
    error: { code: "LIMIT", message: "The run used 200 tokens; 150 is the most." },
  });
  ({ cursor } = await stage.agents.retry(AGENT));
  expect((await stage.end(cursor)).data).toMatchObject({
    answer: "Three.",
    usage: { inputTokens: 270, outputTokens: 30 },
  });
});

test("only a failed run can be retried, once, and only by who may change its agent; it holds up no ask", async () => {
  const { stage, api } = await claude({ limits: { maxTurns: 1 } });
  await expect(stage.agents.retry(AGENT)).rejects.toMatchObject({ code: "NOT_FAILED" });
  await stage.end(await stage.ask("Hello."));
  await expect(stage.agents.retry(AGENT)).rejects.toMatchObject({
    code: "NOT_FAILED",
    message: expect.stringContaining("completed"),
  });

  // One waits behind a run that fails: it is the latest run then, and that one did not fail.
  api.reply(lookup(), say("Hello."));
  const asked = await stage.ask(STOCK);
  await stage.ask("Hello.");
  const failed = await stage.end(asked);
  expect(failed.data).toMatchObject({ error: { code: "LIMIT" } });
  expect((await stage.end(failed.sequence)).data).toMatchObject({ answer: "Hello." });
  await expect(stage.agents.retry(AGENT)).rejects.toMatchObject({ code: "NOT_FAILED" });

  api.reply(lookup());
  await stage.end(await stage.ask(STOCK));
  const viewer = { principal: "viewer", roles: ["viewer" as const], resources: ["*/*", "acme/@maria/*"] };
  await expect(stage.playground.as(viewer).retry(AGENT)).rejects.toMatchObject({ code: "FORBIDDEN" });
  const both = await Promise.allSettled([stage.agents.retry(AGENT), stage.agents.retry(AGENT)]);
  expect(both.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

test("a retry that comes while the runtime is stopped is taken when it starts", async () => {
  const { stage, api } = await claude({ limits: { maxTurns: 1 } });
  await stage.end(await stage.ask(CHARGE));
  await stage.playground.stop();
  const retried = await stage.agents.retry(AGENT);
  expect(retried.status).toBe("recovering");
  expect(api.requests).toHaveLength(1);
  await stage.playground.start();
  expect((await stage.end(retried.cursor)).data).toMatchObject({ answer: "Charged $40." });
  expect((await stage.playground.world()).toolRuns).toEqual({ charge_card: 1 });
});
