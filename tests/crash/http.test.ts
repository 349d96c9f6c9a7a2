/** The API as strangers meet it: one real server for all of these. */
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect, type StreamMessage } from "../../lib/client";
import type { Server } from "../server";
import { serve } from "./server";
import { AGENT, CHARGE, STOCK } from "./stage";

let server: Server;
let api: string;
const path = `/agents/${encodeURIComponent(AGENT)}`;

const cleanups: (() => void)[] = [];

beforeAll(async () => {
  server = await serve({ toolMs: 30, cleanup: (clean) => cleanups.push(clean) });
  api = `${server.url}/api`;
  await server.define();
});

afterAll(async () => {
  await server.kill();
  for (const clean of cleanups) clean();
});

interface Refused {
  status: number;
  type: string | null;
  code: unknown;
  detail: unknown;
}

async function refused(response: Response): Promise<Refused> {
  const body = (await response.json()) as Record<string, unknown>;
  return {
    status: response.status,
    type: response.headers.get("content-type"),
    code: body.code,
    detail: body.detail,
  };
}

const send = (method: string, where: string, body?: BodyInit, headers: Record<string, string> = {}) =>
  fetch(`${api}${where}`, {
    method,
    headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
    ...(body !== undefined && { body }),
  });

/** A request with headers that fetch does not let one set. */
function raw(method: string, where: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(server.url);
    const sent = request({ hostname, port, method, path: where, headers }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on("error", reject);
    sent.end();
  });
}

describe("bad input is refused, and changes nothing", () => {
  const definition = { model: "scripted:shop", instructions: "", tools: ["shop"] };
  const cases: [what: string, code: string, status: number, send: () => Promise<Response>][] = [
    ["an unknown agent", "NOT_FOUND", 404, () => send("POST", "/agents/nobody/ask", '{"text":"Hello"}')],
    ["an unknown agent's kill", "NOT_FOUND", 404, () => send("POST", "/agents/nobody/kill")],
    ["an unknown interrupt", "NOT_FOUND", 404, () => send("POST", "/interrupts/nothing/approve")],
    ["an unknown path", "NOT_FOUND", 404, () => send("GET", "/nothing/here")],
    ["a method that the path has not", "METHOD_NOT_ALLOWED", 405, () => send("DELETE", "/runtime")],
    [
      "an unknown capability",
      "INVALID",
      400,
      () => send("PUT", path, JSON.stringify({ ...definition, tools: ["launch"] })),
    ],
    [
      "an unknown model",
      "INVALID",
      400,
      () => send("PUT", path, JSON.stringify({ ...definition, model: "oracle:1" })),
    ],
    [
      "an unknown field",
      "INVALID",
      400,
      () => send("PUT", path, JSON.stringify({ ...definition, colour: "red" })),
    ],
    ["malformed JSON", "INVALID", 400, () => send("POST", `${path}/ask`, '{"text":')],
    ["JSON that is no object", "INVALID", 400, () => send("POST", `${path}/ask`, "[1]")],
    ["JSON null", "INVALID", 400, () => send("POST", `${path}/ask`, "null")],
    ["a wrong type", "INVALID", 400, () => send("POST", `${path}/ask`, '{"text":7}')],
    ["no body", "INVALID", 400, () => send("POST", `${path}/ask`)],
    ["an empty ask", "INVALID", 400, () => send("POST", `${path}/ask`, '{"text":" \\n"}')],
    [
      "an ask of 300 KiB",
      "TOO_LARGE",
      413,
      () => send("POST", `${path}/ask`, JSON.stringify({ text: "x".repeat(300 * 1024) })),
    ],
    [
      "an ask of 2 MB",
      "TOO_LARGE",
      413,
      () => send("POST", `${path}/ask`, JSON.stringify({ text: "x".repeat(2_000_000) })),
    ],
    [
      "an ask of 128 Ki two-byte letters and one more",
      "TOO_LARGE",
      413,
      () => send("POST", `${path}/ask`, JSON.stringify({ text: "é".repeat(128 * 1024 + 1) })),
    ],
    ["NUL", "INVALID", 400, () => send("POST", `${path}/ask`, '{"text":"a\\u0000b"}')],
    ["a lone surrogate", "INVALID", 400, () => send("POST", `${path}/ask`, '{"text":"a\\ud800b"}')],
    [
      "bytes that are no UTF-8",
      "INVALID",
      400,
      () => send("POST", `${path}/ask`, Buffer.from([0x7b, 0xff, 0x7d])),
    ],
    ["an id with ..", "INVALID", 400, () => send("GET", "/agents/acme%2F..%2Fshop")],
    ["an id with //", "INVALID", 400, () => send("GET", "/agents/acme%2F%2Fshop")],
    [
      "an id of 300 characters",
      "INVALID",
      400,
      () => send("PUT", `/agents/${"x".repeat(300)}`, JSON.stringify(definition)),
    ],
    [
      "an id with a colon",
      "INVALID",
      400,
      () => send("PUT", "/agents/runtime%3Ax", JSON.stringify(definition)),
    ],
    [
      "another content type",
      "UNSUPPORTED_MEDIA_TYPE",
      415,
      () => send("POST", `${path}/ask`, '{"text":"x"}', { "content-type": "text/plain" }),
    ],
    [
      "a denial without a reason",
      "INVALID",
      400,
      () => send("POST", "/interrupts/nothing/deny", '{"reason":""}'),
    ],
    ["a negative limit", "INVALID", 400, () => send("GET", "/events?limit=-1")],
    ["a limit over 1000", "INVALID", 400, () => send("GET", "/events?limit=1001")],
    ["a setting out of range", "INVALID", 400, () => send("POST", "/runtime/restart", '{"toolMs":-1}')],
    [
      "a scope that is no JSON",
      "INVALID",
      400,
      () => send("GET", "/agents", undefined, { "relight-as": "maria" }),
    ],
    ["a start of what runs", "ALREADY_RUNNING", 409, () => send("POST", "/runtime/start")],
  ];

  test.each(cases)("%s: %s", async (_what, code, status, act) => {
    const before = await server.client.events.head();
    const answer = await refused(await act());
    expect(answer).toMatchObject({ status, code, type: "application/problem+json" });
    expect(answer.detail).toMatch(/^[^\n]+$/);
    expect(await server.client.events.head()).toEqual(before);
  });
});

describe("the door", () => {
  test.each([
    ["another site's page", { origin: "http://evil.example" }, 403],
    ["a page without an origin", { origin: "null" }, 403],
    ["another port's page", { "sec-fetch-site": "same-site" }, 403],
    ["a form of another site", { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" }, 403],
    ["a name that was pointed here", { host: "evil.example" }, 403],
    ["this server's own page", { "sec-fetch-site": "same-origin" }, 200],
    ["a program on this machine", {}, 200],
  ])("%s", async (_who, headers, status) => {
    const { host } = new URL(server.url);
    expect(await raw("GET", "/api/runtime", { host, ...headers })).toBe(status);
    if (status === 403) expect(await raw("POST", "/api/playground/reset", { host, ...headers })).toBe(403);
  });

  test("a link from elsewhere opens the page, which nobody may frame or script", async () => {
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    expect(await raw("GET", "/", { host: new URL(server.url).host, ...headers })).toBe(200);
    const policy = (await fetch(server.url)).headers.get("content-security-policy");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).toMatch(/script-src 'self' 'nonce-[^']+' 'strict-dynamic'(;|$)/);
  });
});

test("emoji and right-to-left text come back as they went in", async () => {
  const text = "שלום 👩‍👩‍👧 مرحبا \u202e?";
  const agent = server.client.agent(AGENT);
  const { cursor, message } = await agent.ask(text);
  expect(message.text).toBe(text);
  await agent.runEnd({ after: cursor });
  expect((await agent.messages()).flatMap(({ parts }) => parts)).toContainEqual({
    type: "text",
    content: text,
  });
});

test("the same ask sent again, at once or later, is one ask and one charge", async () => {
  const agent = server.client.agent(AGENT);
  const { bank } = await server.client.world();
  const id = "charge-once";
  const answers = await Promise.all(Array.from({ length: 8 }, () => agent.ask(CHARGE, { id })));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  const cursor = answers[0]?.cursor ?? 0;
  await agent.runEnd({ after: cursor });
  expect(await agent.ask(CHARGE, { id })).toEqual(answers[0]);
  expect((await server.client.world()).bank).toHaveLength(bank.length + 1);
  await expect(agent.ask(STOCK, { id })).rejects.toMatchObject({ code: "CONFLICT" });
});

test("of many decisions at once, one wins, and the others read which", async () => {
  const client = server.client;
  await client.runtime.restart({ toolMs: 500 });
  const agent = client.agent(AGENT);
  const { cursor } = await agent.ask(CHARGE);
  await agent.running({ after: cursor });
  const killed = await agent.kill();
  await agent.runEnd({ after: killed.cursor });
  const [inDoubt] = await client.interrupts.list("open");
  const id = inDoubt?.id ?? "";
  const decisions = await Promise.allSettled(
    Array.from({ length: 10 }, (_, i) =>
      i % 2 ? agent.approve(id) : agent.deny(id, { reason: "It went through." }),
    ),
  );
  const won = decisions.flatMap((decision) => (decision.status === "fulfilled" ? [decision.value] : []));
  expect(won).toHaveLength(1);
  const status = won[0]?.interrupt.status;
  for (const lost of decisions.filter((decision) => decision.status === "rejected")) {
    expect(lost.reason).toMatchObject({
      code: "ALREADY_DECIDED",
      details: { interrupt: { status, decidedBy: "owner" } },
    });
  }
  await agent.runEnd({ after: won[0]?.cursor });
  await client.runtime.restart({ toolMs: 30 });
});

test("a scope sees and does what it covers, and nothing else", async () => {
  const maria = server.client.as("acme/@maria", { roles: ["viewer"], resources: ["acme/@maria/*"] });
  expect(await maria.agents.list()).toHaveLength(1);
  await expect(maria.agent(AGENT).ask("Hello")).rejects.toMatchObject({ code: "FORBIDDEN" });
  const other = server.client.as("acme/@mariana", { roles: ["owner"], resources: ["acme/@mariana/*"] });
  expect(await other.agents.list()).toEqual([]);
  expect((await other.events.list({ limit: 1000 })).events).toEqual([]);
  await expect(other.agent(AGENT).get()).rejects.toMatchObject({ code: "FORBIDDEN" });
  await expect(other.agent(AGENT).events()).rejects.toMatchObject({ code: "FORBIDDEN" });
});

test("every mutating answer tells its cursor, and pages go on from a cursor to the head", async () => {
  const agent = await server.define();
  const { cursor } = await agent.ask("Hello");
  await agent.runEnd({ after: cursor });
  const { cursor: head, log } = await server.client.events.head();
  const seen: number[] = [];
  for (let after = 0, more = true; more; ) {
    const page = await server.client.events.list({ after, limit: 7 });
    expect(page.log).toBe(log);
    seen.push(...page.events.map(({ sequence }) => sequence));
    after = page.cursor;
    more = page.more;
  }
  expect(seen).toEqual(Array.from({ length: head }, (_, index) => index + 1));
  expect(await server.client.events.list({ after: head + 100 })).toMatchObject({ events: [], more: false });
});

describe("the stream", () => {
  /** Reads events until there are so many, then hangs up. */
  async function some(count: number, headers: Record<string, string>): Promise<number[]> {
    const ended = new AbortController();
    const response = await fetch(`${api}/events`, {
      headers: { accept: "text/event-stream", ...headers },
      signal: ended.signal,
    });
    expect(response.headers.get("cache-control")).toContain("no-transform");
    const ids: number[] = [];
    let text = "";
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk;
      ids.splice(0, ids.length, ...[...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id)));
      if (ids.length >= count) break;
    }
    ended.abort();
    return ids.slice(0, count);
  }

  test("resumed by Last-Event-ID, it has no gap and no repeat", async () => {
    const { cursor: head } = await server.client.events.head();
    const ids: number[] = [];
    while (ids.length < head) {
      ids.push(...(await some(Math.min(5, head - ids.length), { "last-event-id": String(ids.at(-1) ?? 0) })));
    }
    expect(ids).toEqual(Array.from({ length: head }, (_, index) => index + 1));
  });

  test("through the death of its server, a follower misses nothing and repeats nothing", async () => {
    const own = await serve({ toolMs: 20 });
    const { port } = new URL(own.url);
    const agent = await own.define();
    const seen: number[] = [];
    const ended = new AbortController();
    const following = (async () => {
      for await (const { cursor, event } of connect(own.url).events.follow({
        after: 0,
        signal: ended.signal,
      })) {
        seen.push(cursor);
        if (
          event.type === "relight.run.completed" &&
          (event.data as { answer: string }).answer.includes("SKU-2")
        )
          return;
      }
    })();
    const { cursor } = await agent.ask("How many SKU-1?");
    await agent.runEnd({ after: cursor });
    await own.kill();
    const again = await serve({ data: own.data, toolMs: 20, args: ["--port", port] });
    await again.client.agent(AGENT).ask("How many SKU-2?");
    await following;
    ended.abort();
    expect(seen).toEqual(seen.map((_, index) => index + 1));
  });
});

test("a reset is a fresh playground whose cursors go on, and a follower is told", async () => {
  const own = await serve({ toolMs: 5000 });
  const agent = await own.define();
  const { cursor } = await agent.ask(CHARGE);
  const { data } = await agent.running({ after: cursor });
  const before = await own.client.events.head();
  // A page that is open across the reset: it must see the whole of the new log.
  const seen: StreamMessage[] = [];
  const ended = new AbortController();
  const watching = (async () => {
    for await (const message of own.client.stream({ signal: ended.signal })) {
      seen.push(message);
      if (message.is === "event" && message.event.type === "relight.run.completed") return;
    }
  })();
  const waiting = expect(agent.runEnd({ after: cursor })).rejects.toMatchObject({ code: "RESET" });
  const answered = await own.client.reset();
  await waiting;

  expect(answered).toMatchObject({ status: "running" });
  expect(answered.cursor).toBeGreaterThanOrEqual(before.cursor);
  expect(answered.processes).toMatchObject([{ agent: null }]);
  expect(answered.log).not.toBe(before.log);
  expect(await own.client.events.head()).toEqual({ cursor: answered.cursor, log: answered.log });
  expect(await own.client.agents.list()).toEqual([]);
  expect(await own.client.world()).toMatchObject({ bank: [], toolRuns: {} });
  expect(() => process.kill(data.pid, 0)).toThrow();

  const fresh = await own.define();
  const asked = await fresh.ask("Hello");
  expect((await fresh.runEnd({ after: asked.cursor })).type).toBe("relight.run.completed");
  await watching;
  ended.abort();
  const logs = seen.flatMap((message, index) => (message.is === "log" ? [{ index, log: message.log }] : []));
  expect(logs.map(({ log }) => log)).toEqual([before.log, answered.log]);
  const sequences = seen.flatMap((message) => (message.is === "event" ? [message.event.sequence] : []));
  const ofNewLog = seen
    .slice(logs[1]?.index)
    .flatMap((message) => (message.is === "event" ? [message.event.sequence] : []));
  // Cursors go on where the old log's ended: none is given twice, and none of the new log's is missed.
  expect(new Set(sequences).size).toBe(sequences.length);
  expect(ofNewLog).toEqual(ofNewLog.map((_, index) => answered.cursor + 1 + index));
});

test("a database that cannot be read is unavailable, never not found", async () => {
  const own = await serve();
  await own.define();
  const folder = readdirSync(own.data).find((name) => name.startsWith("log-")) ?? "";
  await own.kill();
  writeFileSync(join(own.data, folder, "relight.db"), "not a database, and not empty either".repeat(100));
  rmSync(join(own.data, folder, "relight.db-wal"), { force: true });
  const broken = await serve({ data: own.data });
  expect(await broken.exited).toEqual({ code: 1, signal: null });
  expect(broken.lines).toHaveLength(1);
  expect(broken.lines[0]).toMatch(/^UNAVAILABLE: The database cannot be used/);
});
