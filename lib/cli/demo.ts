/** Both crash demos in a terminal: real processes, real SIGKILL, a real log, on a directory that is thrown away. */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Agents } from "../agents/agents";
import type { AgentEvent } from "../agents/events";
import { firstCall, firstRunEnd } from "../agents/wait";
import { shortType } from "../log/event";
import { follow } from "../log/follow";
import { toolMsFromEnvironment } from "../playground";
import { Playground } from "../playground/playground";

const AGENT = "acme/@maria/shop";
const SCOPE = { principal: "acme/@maria", roles: ["owner" as const], resources: ["acme/@maria/*"] };
const WENT_THROUGH = "It went through. I checked the bank.";

/** One copy of a playground, with what the demos do to it. */
interface Stage {
  playground: Playground;
  agents: Agents;
  events(after: number): AsyncGenerator<AgentEvent>;
}

/**
 * Tells both demos step by step.
 * @returns whether every promise held
 */
export async function demo(json: boolean): Promise<boolean> {
  const toolMs = toolMsFromEnvironment();
  const told = teller(json);
  const dir = mkdtempSync(join(tmpdir(), "relight-demo-"));
  const clean = () => rmSync(dir, { recursive: true, force: true });
  // However it ends; its agents end with it.
  process.once("exit", clean);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  try {
    told.say("The model is scripted:shop, a stand-in that needs no key. Everything else is real.");
    await pullThePlug(join(dir, "lookup"), toolMs, told);
    await stopMidCharge(dir, toolMs, told);
  } finally {
    clean();
  }
  told.end();
  return told.held();
}

async function pullThePlug(
  dir: string,
  toolMs: number | undefined,
  { title, say, check }: Teller,
): Promise<void> {
  title("1. Kill it mid-lookup");
  await on(dir, toolMs, async ({ agents, events, playground }) => {
    await agents.define(AGENT, definition());
    const question = "How many SKU-7 do we have?";
    const { cursor } = await agents.ask(AGENT, { text: question });
    say(`Asked ${AGENT}: “${question}”`);
    const first = await firstCall(events(cursor));
    say(
      `pid ${first.data.pid} started check_stock, attempt ${first.data.attempt}. Its turn was saved before.`,
    );
    while ((await playground.world()).toolRuns.check_stock === undefined) await sleep(20);
    const killed = await agents.kill(AGENT);
    say(`Killed pid ${killed.pid} with SIGKILL. Nobody asks again.`);
    const again = await firstCall(events(killed.cursor));
    say(
      `pid ${again.data.pid} started check_stock, attempt ${again.data.attempt}: it is idempotent, so it runs again.`,
    );
    const end = await firstRunEnd(events(killed.cursor));
    say(
      `The run ended: ${shortType(end.type)}${end.type === "relight.run.completed" ? `, “${end.data.answer}”` : ""}`,
    );

    check("the run completed by itself", end.type === "relight.run.completed");
    check("another process answered", again.data.pid !== first.data.pid);
    const { toolRuns } = await playground.world();
    check(`check_stock ran twice (it ran ${toolRuns.check_stock} times)`, toolRuns.check_stock === 2);
    const log = (await agents.events(AGENT, { after: cursor, limit: 1000 })).events;
    const story = log.flatMap((event) => {
      if (event.type === "relight.call.started") return [`start of ${event.data.call}`];
      return event.type === "relight.agent.crashed" ? ["crash"] : [];
    });
    const start = `start of ${first.data.call}`;
    check(
      "the log shows two starts of one call, with the crash between",
      story.length === 3 && story[0] === start && story[1] === "crash" && story[2] === start,
    );
    for (const event of log)
      say(`  ${event.sequence}  ${event.time.slice(11, 23)}  ${shortType(event.type)}`);
  });
}

async function stopMidCharge(
  dir: string,
  toolMs: number | undefined,
  { title, say, check }: Teller,
): Promise<void> {
  title("2. Restart the runtime mid-charge");
  const original = join(dir, "charge");
  const interrupt = await on(original, toolMs, async ({ agents, events, playground }) => {
    await agents.define(AGENT, definition());
    const order = "Charge Maria's card $40 for order 1042.";
    const { cursor } = await agents.ask(AGENT, { text: order });
    say(`Asked ${AGENT}: “${order}”`);
    const call = await firstCall(events(cursor));
    say(`pid ${call.data.pid} started charge_card, attempt ${call.data.attempt}.`);
    while ((await playground.world()).bank.length === 0) await sleep(20);
    say("The bank booked the charge; the tool has not answered yet, so the agent cannot know.");
    await playground.stop();
    say(`Stopped the runtime, as a deploy would: pid ${call.data.pid} is gone.`);
    const started = await playground.start();
    say("Started the runtime again.");
    const end = await firstRunEnd(events(started.cursor));
    say(`The run ended: ${shortType(end.type)}`);
    check("the run was interrupted, not repeated", end.type === "relight.run.interrupted");
    const open = await agents.interrupts("open");
    check(`one call is in doubt (${open.length})`, open.length === 1 && open[0]?.call.tool === "charge_card");
    check("charge_card ran once so far", (await playground.world()).toolRuns.charge_card === 1);
    return open[0]?.id ?? "";
  });

  // From here, two worlds: a person decides one way in one copy, the other way in the other.
  const denied = join(dir, "it-went-through");
  const approved = join(dir, "charge-again");
  for (const copy of [denied, approved]) cpSync(original, copy, { recursive: true });
  say("Copied the directory twice, log and world, to decide both ways.");

  await on(denied, toolMs, async ({ agents, events, playground }) => {
    const { cursor } = await agents.deny(interrupt, { reason: WENT_THROUGH });
    say(`“It went through”: denied with the reason “${WENT_THROUGH}”`);
    const end = await firstRunEnd(events(cursor));
    const answer = end.type === "relight.run.completed" ? end.data.answer : "";
    say(`The agent answered: “${answer}”`);
    const { toolRuns, bank } = await playground.world();
    check(`charge_card ran once (${toolRuns.charge_card})`, toolRuns.charge_card === 1);
    check(`the bank shows one charge (${bank.length})`, bank.length === 1);
    check("the model answered in the person's words", answer.includes(WENT_THROUGH));
  });

  await on(approved, toolMs, async ({ agents, events, playground }) => {
    const { cursor } = await agents.approve(interrupt);
    say("“Charge again”: approved.");
    const end = await firstRunEnd(events(cursor));
    say(`The agent answered: “${end.type === "relight.run.completed" ? end.data.answer : ""}”`);
    const { toolRuns, bank } = await playground.world();
    check(`charge_card ran twice (${toolRuns.charge_card})`, toolRuns.charge_card === 2);
    check(`the bank shows two charges (${bank.length}), as the person decided`, bank.length === 2);
  });
}

/** Opens a playground, runs its runtime, and ends both. */
async function on<T>(dir: string, toolMs: number | undefined, act: (stage: Stage) => Promise<T>): Promise<T> {
  const dist = fileURLToPath(new URL(".", import.meta.url));
  const playground = Playground.open({ dir, dist, toolMs });
  const ended = new AbortController();
  try {
    await playground.start();
    const { store } = playground.folder;
    return await act({
      playground,
      agents: playground.as(SCOPE),
      events: (after) => follow<AgentEvent>(store, { after, subject: AGENT, signal: ended.signal }),
    });
  } finally {
    ended.abort();
    await playground.close();
  }
}

const definition = () => ({
  model: "scripted:shop",
  instructions: "You run Maria's shop. Use your tools. Be brief.",
  tools: ["shop"],
});

interface Teller {
  title(text: string): void;
  say(text: string): void;
  check(promise: string, held: boolean): void;
  end(): void;
  held(): boolean;
}

function teller(json: boolean): Teller {
  const began = Date.now();
  const checks: boolean[] = [];
  const out = (kind: string, text: string, line: string, more = {}) => {
    const seconds = (Date.now() - began) / 1000;
    console.log(
      json
        ? JSON.stringify({ kind, text, seconds, ...more })
        : line.replace("@", seconds.toFixed(1).padStart(5)),
    );
  };
  return {
    title: (text) => out("title", text, `\n${text}`),
    say: (text) => out("step", text, `@ s  ${text}`),
    check: (text, held) => {
      checks.push(held);
      out("check", text, `@ s  ${held ? "✓ held" : "✗ BROKEN"}: ${text}`, { held });
    },
    end: () => {
      const broken = checks.filter((held) => !held).length;
      const text =
        broken === 0
          ? `Every promise held (${checks.length}).`
          : `${broken} of ${checks.length} promises broke.`;
      out("end", text, `\n${text}`, { held: broken === 0 });
    },
    held: () => checks.length > 0 && checks.every(Boolean),
  };
}
