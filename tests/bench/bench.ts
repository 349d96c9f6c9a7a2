/** Timings, printed and never asserted. Each stands beside something bare, measured on the same disk in the same run. */
import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentEvent } from "../../lib/agents/events";
import { OWNER } from "../../lib/agents/scope";
import { firstCall } from "../../lib/agents/wait";
import { root } from "../../lib/cli/build.mjs";
import { follow } from "../../lib/log/follow";
import { Playground } from "../../lib/playground/playground";
import { openSqliteStore } from "../../lib/store";
import { measurePage } from "./page";
import { scratch } from "./scratch";
import { line, type Timings, timed } from "./timings";

const AGENT = "acme/@maria/shop";
const ROUNDS = 25;
const COMMITS = 300;

const dir = scratch();

/** From SIGKILL to the same call running again, with a spare process warm. */
async function killToRunning(): Promise<Timings> {
  const playground = Playground.open({ dir: join(dir, "kill"), dist: join(root, "dist"), toolMs: 600_000 });
  await playground.start();
  const agents = playground.as(OWNER);
  await agents.define(AGENT, { model: "scripted:shop", instructions: "", tools: ["shop"] });
  const events = (after: number) =>
    follow<AgentEvent>(playground.folder.store, { after, subject: AGENT, signal: playground.closed });
  let { cursor } = await agents.ask(AGENT, { text: "How many SKU-7 do we have?" });
  await firstCall(events(cursor));
  const ms: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    // The spare starts after the one before it works; a person needs longer than this to press again.
    await sleep(700);
    const began = performance.now();
    const killing = agents.kill(AGENT);
    cursor = (await firstCall(events(cursor + 1))).sequence;
    while ((await killing).cursor > cursor) cursor = (await firstCall(events(cursor))).sequence;
    ms.push(performance.now() - began);
  }
  await playground.close();
  return { what: "kill to the same call running again", ms };
}

async function bareAppend(bytes: number): Promise<Timings> {
  const file = openSync(join(dir, "bare"), "a");
  const data = Buffer.alloc(bytes, "x");
  const timings = await timed(`bare append of ${bytes} bytes and fdatasync`, COMMITS, () => {
    writeSync(file, data);
    fdatasyncSync(file);
  });
  closeSync(file);
  return timings;
}

async function durableStep(bytes: number): Promise<Timings> {
  const path = join(dir, "step.db");
  const store = openSqliteStore({ path, create: { log: "bench", source: "/relight/bench", after: 0 } });
  const data = { text: "x".repeat(bytes) };
  const timings = await timed("one durable step", COMMITS, async () => {
    await store.commit({ subject: AGENT, events: [{ type: "relight.bench", subject: AGENT, data }] });
  });
  store.close();
  return timings;
}

console.log(line(await bareAppend(500)));
console.log(line(await durableStep(500)));
console.log(line(await killToRunning()));
for (const timings of await measurePage(join(dir, "page"))) console.log(line(timings));
