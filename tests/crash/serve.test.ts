/** The server as a process: how it stops, and what it refuses to start on. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { openSqliteStore } from "../../lib/store";
import { isRunning, until } from "./os";
import { serve } from "./server";
import { AGENT, CHARGE, STOCK, temporary } from "./stage";

test.each(["SIGTERM", "SIGINT"] as const)(
  "%s with open streams: agents ended, leases released, exit 0",
  async (signal) => {
    const first = await serve({ toolMs: 60_000 });
    const agent = await first.define();
    const { cursor } = await agent.ask(CHARGE);
    const { data } = await agent.running({ after: cursor });
    const open = () => fetch(`${first.url}/api/events`, { headers: { accept: "text/event-stream" } });
    const streams = (await Promise.all([open(), open(), open()])).map((response) => response.text());
    // As a terminal does it: to the whole process group.
    if (signal === "SIGINT") process.kill(-first.pid, signal);
    else process.kill(first.pid, signal);
    expect(await first.exited).toEqual({ code: 0, signal: null });
    expect(isRunning(data.pid)).toBe(false);
    await Promise.allSettled(streams);

    const second = await serve({ data: first.data });
    const { events } = await second.client.events.list({ limit: 1000 });
    const stop = events.findIndex(({ type }) => type === ("relight.runtime.stopped" as string));
    expect(events[stop - 1]).toMatchObject({
      type: "relight.agent.stopped",
      data: { why: "runtime stopped" },
    });
    // A lease that was released is claimed plainly: nobody was displaced.
    expect(events[stop + 1]).toMatchObject({ type: "relight.runtime.started" });
    expect(events[stop + 1]?.data).not.toHaveProperty("tookOverFrom");
    expect((await second.client.agent(AGENT).runEnd({ after: cursor })).type).toBe("relight.run.interrupted");
  },
);

test("a second server on the directory refuses in one line that names the first one's pid", async () => {
  const first = await serve();
  const second = await serve({ data: first.data });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.lines).toEqual([
    `HELD: Another server (pid ${first.pid}) runs the agents of this directory.`,
  ]);
  // The first one goes on undisturbed.
  const agent = await first.define();
  const { cursor } = await agent.ask(STOCK);
  expect((await agent.runEnd({ after: cursor })).type).toBe("relight.run.completed");
});

test("a server that was started and killed many times leaves a directory that opens", async () => {
  const data = join(temporary(), "data");
  for (let round = 0; round < 3; round++) await (await serve({ data })).kill();
  const last = await serve({ data });
  expect(await last.client.runtime.status()).toMatchObject({ status: "running", pid: last.pid });
});

test.each([
  {
    what: "a port in use",
    args: (url: string) => ["--port", new URL(url).port],
    says: /^UNAVAILABLE: Port \d+ is in use/,
  },
  {
    what: "an address that others reach",
    args: () => ["--host", "0.0.0.0"],
    says: /^INVALID: --host: expected 127\.0\.0\.1/,
  },
])("$what is one clear line", async ({ args, says }) => {
  const first = await serve();
  const second = await serve({ args: args(first.url) });
  expect(await second.exited).toEqual({ code: 1, signal: null });
  expect(second.lines).toHaveLength(1);
  expect(second.lines[0]).toMatch(says);
});

test("bad usage exits with 2", async () => {
  const server = await serve({ args: ["--port", "many"] });
  expect(await server.exited).toEqual({ code: 2, signal: null });
});

test.each<{ env: Record<string, string>; says: RegExp }>([
  { env: { RELIGHT_TOOL_MS: "soon" }, says: /^INVALID: RELIGHT_TOOL_MS: expected milliseconds/ },
  { env: { RELIGHT_LOG: "loud" }, says: /^INVALID: RELIGHT_LOG: expected one of/ },
])("a bad setting is one clear line: $env", async ({ env, says }) => {
  const server = await serve({ env });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.lines).toHaveLength(1);
  expect(server.lines[0]).toMatch(says);
});

test("a directory that holds something else is not touched", async () => {
  const data = join(temporary(), "documents");
  mkdirSync(data, { mode: 0o755 });
  writeFileSync(join(data, "thesis.md"), "mine");
  const server = await serve({ data });
  expect(await server.exited).toEqual({ code: 1, signal: null });
  expect(server.lines[0]).toMatch(/^INVALID: .*thesis\.md/);
  expect(statSync(data).mode & 0o777).toBe(0o755);
});

test("its data is the owner's alone", async () => {
  const server = await serve();
  expect(statSync(server.data).mode & 0o777).toBe(0o700);
});

test("stopped while it starts, it starts nothing more, and gives its directory up", async () => {
  const first = await serve();
  await first.kill();
  const child = spawn(
    process.execPath,
    [join(root, "lib/cli/relight.mjs"), "serve", "--port", "0", "--data", first.data],
    {
      stdio: "ignore",
    },
  );
  const { current } = JSON.parse(readFileSync(join(first.data, "relight.json"), "utf8")) as {
    current: string;
  };
  const store = openSqliteStore({ path: join(first.data, current, "relight.db") });
  onTestFinished(() => store.close());
  const before = await store.head();
  // As soon as its runtime runs, and long before its pages are served.
  await until("it has begun", async () => (await store.head()) > before);
  child.kill("SIGTERM");
  const [code] = await once(child, "exit");
  expect(code).toBe(0);
  const { events } = await store.read({ after: before, limit: 100 });
  expect(events.map(({ type }) => type)).toEqual(["relight.runtime.started", "relight.runtime.stopped"]);
  expect(await store.openLeases()).toEqual([]);
});

test("a client that begins a stream with HEAD gets headers, and holds nothing up", async () => {
  const server = await serve();
  const response = await fetch(`${server.url}/api/events`, {
    method: "HEAD",
    headers: { accept: "text/event-stream" },
  });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  process.kill(server.pid, "SIGTERM");
  expect(await server.exited).toEqual({ code: 0, signal: null });
});
