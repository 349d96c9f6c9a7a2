/** The keys to Claude live in two processes' memory, and nowhere else: looked for everywhere after a whole session. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, fail, gate, say, use } from "../fixtures/messages-replies";
import { keyOf } from "../fixtures/messages-rules";
import { MODEL, messagesApi } from "./claude-stage";
import { serve } from "./server";
import { AGENT, CHARGE, STOCK } from "./stage";

const ENVIRONMENT = "sk-ant-api03-ENVIRONMENT-4f1b7c90d2";
const PANEL = "sk-ant-api03-PANEL-83aa61e5bc";

/** A key as it is, and as headers and dumps have it. */
const needlesOf = (key: string) => [key, Buffer.from(key).toString("base64").replace(/=+$/, "")];
const foundIn = (text: string, ...keys: string[]) =>
  keys.flatMap(needlesOf).filter((needle) => text.includes(needle));

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test("after a whole session neither key is in a file, an answer, a line or a process's environment", async () => {
  const api = await messagesApi();
  const server = await serve({
    env: {
      ANTHROPIC_BASE_URL: api.url,
      ANTHROPIC_API_KEY: ENVIRONMENT,
      // Whatever anybody would say of itself.
      ANTHROPIC_LOG: "debug",
      RELIGHT_LOG: "debug",
      NODE_DEBUG: "",
    },
  });
  const heard: string[] = [];
  const ended = new AbortController();
  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    heard.push(text, JSON.stringify([...response.headers]));
    return { status: response.status, text };
  };
  const listening = (async () => {
    const response = await fetch(`${server.url}/api/events`, {
      headers: { accept: "text/event-stream" },
      signal: ended.signal,
    });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read())
      heard.push(read.value);
  })().catch(() => {});
  const secret = async (method: string, body?: unknown, headers = {}) =>
    JSON.parse((await send(method, "/api/secrets/anthropic", body, headers)).text) as Record<string, unknown>;

  // The environment's key, while the model speaks.
  expect(await secret("GET")).toEqual({ present: true, source: "environment" });
  const agent = await server.client.define(AGENT, { model: MODEL, instructions: "", tools: ["shop"] });
  const { opened, open } = gate();
  api.reply({ ...call(use("check_stock", { sku: "SKU-7" })), holds: [{ after: 4, until: opened }] });
  const lookup = await agent.ask(STOCK);
  await api.asked(1);
  const { processes } = await server.client.runtime.status();
  expect(processes.map(({ agent }) => agent)).toContain(AGENT);
  const lookAtProcesses = () => {
    for (const { pid } of processes) {
      for (const file of ["cmdline", "environ"])
        expect(foundIn(readFileSync(`/proc/${pid}/${file}`, "latin1"), ENVIRONMENT, PANEL)).toEqual([]);
    }
  };
  lookAtProcesses();
  open();
  expect((await agent.runEnd({ after: lookup.cursor })).data).toMatchObject({ answer: "SKU-7: 3 in stock." });

  // The panel's: set wrongly, set by who may not, set; then a crash in the middle of a charge, and a refusal that quotes it.
  for (const wrong of [
    { key: `${PANEL} ` },
    { key: PANEL.repeat(20) },
    { key: PANEL, baseUrl: "http://attacker.example" },
    { key: PANEL, source: "environment" },
    [PANEL],
    `{"key":"${PANEL}`,
  ])
    expect(await secret("PUT", wrong)).toMatchObject({ code: "INVALID", status: 400 });
  for (const rights of [
    { principal: "viewer", roles: ["viewer"], resources: ["*", "*/*", "playground:"] },
    { principal: "acme/@maria", roles: ["owner"], resources: ["acme/@maria/*"] },
  ]) {
    const narrowed = { "relight-as": JSON.stringify(rights) };
    expect(await secret("PUT", { key: PANEL }, narrowed)).toMatchObject({ code: "FORBIDDEN", status: 403 });
    expect(await secret("DELETE", undefined, narrowed)).toMatchObject({ code: "FORBIDDEN", status: 403 });
  }
  expect(await secret("GET")).toEqual({ present: true, source: "environment" });
  expect(await secret("PUT", { key: PANEL })).toEqual({ present: true, source: "panel" });

  const charge = await agent.ask(CHARGE);
  await agent.running({ after: charge.cursor });
  lookAtProcesses();
  const killed = await agent.kill();
  expect((await agent.runEnd({ after: killed.cursor })).type).toBe("relight.run.interrupted");
  const [inDoubt] = await server.client.interrupts.list("open");
  const denied = await agent.deny(inDoubt?.id ?? "", { reason: "It went through." });
  await agent.runEnd({ after: denied.cursor });
  api.reply(fail(401, {}, `invalid x-api-key: ${PANEL}; ${needlesOf(PANEL).join(" ")}`));
  const refused = await agent.ask(STOCK);
  expect((await agent.runEnd({ after: refused.cursor })).data).toMatchObject({ error: { code: "BAD_KEY" } });

  // Forgotten, the environment's is used again.
  expect(await secret("DELETE")).toEqual({ present: true, source: "environment" });
  api.reply(say("Hello."));
  const { cursor } = await agent.retry();
  await agent.runEnd({ after: cursor });
  expect(api.requests.map(({ headers }) => keyOf(headers))).toEqual([
    ENVIRONMENT,
    ENVIRONMENT,
    PANEL,
    PANEL,
    PANEL,
    ENVIRONMENT,
  ]);

  const id = encodeURIComponent(AGENT);
  for (const path of ["", `/${id}`, `/${id}/messages`, `/${id}/calls`, `/${id}/events?limit=1000`])
    await send("GET", `/api/agents${path}`);
  for (const path of ["runtime", "world", "interrupts", "keys", "events?limit=1000", "workers"])
    expect((await send("GET", `/api/${path}`)).status).toBe(200);
  for (const page of ["/", "/notebooks/pull-the-plug"]) expect((await send("GET", page)).status).toBe(200);

  const own = readFileSync(`/proc/${server.pid}/environ`, "latin1");
  expect(foundIn(own, ENVIRONMENT)).toEqual([ENVIRONMENT]);
  expect(foundIn(own, PANEL)).toEqual([]);
  expect(foundIn(readFileSync(`/proc/${server.pid}/cmdline`, "latin1"), ENVIRONMENT, PANEL)).toEqual([]);
  const lookAtFiles = () => {
    for (const file of filesBelow(server.data))
      expect(foundIn(readFileSync(file, "latin1"), ENVIRONMENT, PANEL), file).toEqual([]);
  };
  lookAtFiles();
  // A reset throws away the log, and keeps the key.
  await secret("PUT", { key: PANEL });
  await send("POST", "/api/playground/reset");
  expect(await secret("GET")).toEqual({ present: true, source: "panel" });
  ended.abort();
  await listening;
  process.kill(server.pid, "SIGTERM");
  expect(await server.exited).toMatchObject({ code: 0 });
  lookAtFiles();
  expect(heard.join("\n")).toContain("BAD_KEY");
  expect(foundIn(heard.join("\n"), ENVIRONMENT, PANEL)).toEqual([]);
  expect(server.lines.join("\n")).toContain("BAD_KEY");
  expect(foundIn(server.lines.join("\n"), ENVIRONMENT, PANEL)).toEqual([]);
});
