/** The key to Claude, as an agent's process uses it. */
import { expect, test } from "vitest";
import type { MessagesApi } from "../fixtures/messages-api";
import { call, fail, say, use } from "../fixtures/messages-replies";
import { keyOf } from "../fixtures/messages-rules";
import { claude, KEY } from "./claude-stage";
import { gone, until } from "./os";
import { AGENT, STOCK } from "./stage";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const keysOf = ({ requests }: MessagesApi) => requests.map(({ headers }) => keyOf(headers));

test("no key: NO_KEY says what to do; with one set, a retry goes on", async () => {
  const { stage, api } = await claude({ key: " " });
  const failed = await stage.end(await stage.ask(STOCK));
  expect(failed.data).toMatchObject({
    error: { code: "NO_KEY", message: expect.stringMatching(/Secrets panel.*Retry.*ANTHROPIC_API_KEY/) },
  });
  expect(api.requests).toEqual([]);
  expect(stage.playground.secret()).toEqual({ present: false, source: null });

  expect(stage.playground.setSecret({ key: "sk-panel" })).toEqual({ present: true, source: "panel" });
  const { cursor } = await stage.agents.retry(AGENT);
  expect((await stage.end(cursor)).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  expect(keysOf(api)).toEqual(["sk-panel", "sk-panel"]);
});

test("the panel's key comes before the environment's; forgotten, the environment's is used again", async () => {
  const { stage, api } = await claude();
  expect(stage.playground.secret()).toEqual({ present: true, source: "environment" });
  await stage.end(await stage.ask("Hello."));
  // The agent's process lives on, and its next request has the new key.
  const { pid } = await stage.agents.get(AGENT);
  stage.playground.setSecret({ key: "sk-panel" });
  await stage.end(await stage.ask("Hello."));
  stage.playground.setSecret({ key: "sk-other" });
  await stage.end(await stage.ask("Hello."));
  expect(stage.playground.setSecret(null)).toEqual({ present: true, source: "environment" });
  await stage.end(await stage.ask("Hello."));
  expect(keysOf(api)).toEqual([KEY, "sk-panel", "sk-other", KEY]);
  expect((await stage.agents.get(AGENT)).pid).toBe(pid);

  // Changed while the model is tried again, it is the one of the next try.
  api.answer = ({ headers }) => {
    if (keyOf(headers) === "sk-panel") return say("Three.");
    stage.playground.setSecret({ key: "sk-panel" });
    return fail(429, { "retry-after-ms": "50" });
  };
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "Three." });
});

test("a key that is set while a process starts is the one that it asks with", async () => {
  const { stage, api } = await claude();
  // With no spare that is ready, a process takes a while from its start to its first request.
  const processes = () => stage.runtime.processes();
  const spare = processes().find(({ agent }) => agent === null)?.pid ?? 0;
  process.kill(spare, "SIGKILL");
  await gone(spare);
  await until("the spare is forgotten", () => processes().every(({ pid }) => pid !== spare));
  const asked = await stage.ask("Hello.");
  await until("the agent has a process", () => processes().some(({ agent }) => agent === AGENT));
  stage.playground.setSecret({ key: "sk-panel" });
  await stage.end(asked);
  expect(keysOf(api)).toEqual(["sk-panel"]);
});

test("a key that is refused: BAD_KEY at once, which names where it came from and never quotes it", async () => {
  const { stage, api } = await claude();
  const cases = [
    {
      status: 401,
      key: KEY,
      says: /^The key from the environment \(ANTHROPIC_API_KEY\) was refused: invalid /,
    },
    { status: 403, key: "sk-panel-distinct", says: /^The key from the Secrets panel was refused: invalid / },
  ];
  for (const { status, key, says } of cases) {
    if (key !== KEY) stage.playground.setSecret({ key });
    const quoted = `invalid ${key}, ${base64(key)}, ${base64(key).replace(/=+$/, "")}, Bearer ${key}.`;
    const before = api.requests.length;
    api.reply(call(use("check_stock", { sku: "SKU-7" })), fail(status, {}, quoted));
    const { data } = await stage.end(await stage.ask(STOCK));
    expect(data).toMatchObject({ error: { code: "BAD_KEY", message: expect.stringMatching(says) } });
    expect(api.requests).toHaveLength(before + 2);
    const log = JSON.stringify(await stage.log());
    for (const secret of [key, base64(key).replace(/=+$/, "")]) expect(log).not.toContain(secret);
  }
  stage.playground.setSecret({ key: "sk-good" });
  const { cursor } = await stage.agents.retry(AGENT);
  expect((await stage.end(cursor)).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
});
