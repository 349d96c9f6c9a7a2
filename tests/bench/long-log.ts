/** A long log of one agent, in a data directory: what days of its life would have left, commit by commit. */
import { randomUUID } from "node:crypto";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { type AgentDraft, type AgentEvents, draft } from "../../lib/agents/events";
import { root } from "../../lib/cli/build.mjs";
import { Playground } from "../../lib/playground/playground";
import { openSqliteStore } from "../../lib/store";
import { AGENT } from "../server";
import { scratch } from "./scratch";

/** Memory, where there is such a thing: each of many thousand commits waits for the disk otherwise. */
const MEMORY = "/dev/shm";

const RUNS_A_PROCESS = 50;
const RUNS_A_CHARGE = 10;

/** How long after the commit before it a commit comes that begins with such an event; all others come at once. */
const AFTER_MS: Record<string, number> = { "relight.ask.received": 20_000, "relight.call.completed": 3000 };
const AT_ONCE_MS = 10;

/** The end of a commit, and what the control room says when it is looked at. */
export interface Place {
  at: number;
  says: string;
}

interface Commit {
  events: AgentDraft[];
  says: string;
}

/**
 * Each step is a commit of its own, as an agent writes them: packed together they would be one point for the scrubber,
 * which stands at ends of commits only.
 * @returns every point of it
 */
export async function writeLongLog(dir: string, length: number): Promise<Place[]> {
  const made = scratch(existsSync(MEMORY) ? MEMORY : undefined);
  const playground = Playground.open({ dir: made, dist: join(root, "dist") });
  const { storePath: path } = playground.folder;
  await playground.close();
  // Early enough: an event takes a little more than three seconds on average.
  let clock = Date.now() - length * 4000;
  const store = openSqliteStore({ path, now: () => clock });
  const places: Place[] = [];
  for (const { events, says } of life(length)) {
    clock += AFTER_MS[events[0]?.type ?? ""] ?? AT_ONCE_MS;
    const { cursor } = await store.commit({ subject: AGENT, events });
    places.push({ at: cursor, says });
  }
  store.close();
  cpSync(made, dir, { recursive: true });
  return places;
}

/** Idle at its end, which comes with the first run that makes it long enough. */
function* life(length: number): Generator<Commit> {
  const definition = { model: "scripted:shop", instructions: "", tools: ["shop"] };
  const usage = { inputTokens: 0, outputTokens: 0 };
  let written = 0;
  let fence = 1;
  let says = "";
  const me = () => ({ pid: 40_000 + fence, fence });
  const event = <T extends keyof AgentEvents>(type: T, data: AgentEvents[T]) => draft(AGENT, type, data);
  const commit = (...events: AgentDraft[]): Commit => {
    written += events.length;
    return { events, says };
  };

  yield commit(event("agent.defined", { definition, by: "owner" }));
  yield commit(event("agent.started", me()));
  for (let n = 1; written < length; n++) {
    const { text, tool, input, result } = n % RUNS_A_CHARGE === 5 ? charge(n) : lookup(n);
    const message = { id: randomUUID(), text };
    const run = newId("run");
    const call = { id: newId("call"), tool, input, idempotent: tool === "check_stock" };
    let attempt = 0;
    const about = () => ({ run, call: call.id, tool: { name: tool }, attempt });
    const start = () => {
      attempt++;
      return event("call.started", { ...about(), input, ...me() });
    };

    yield commit(event("ask.received", { message, by: "owner" }));
    says = `“${text}”`;
    yield commit(event("run.started", { run, message: message.id, definition }));
    const asks = [{ type: "tool_use" as const, call: call.id, tool, content: input }];
    yield commit(event("turn.saved", { run, turn: 1, parts: asks, calls: [call], usage }), start());
    if (n % RUNS_A_PROCESS === 0) {
      const tookOverFrom = me();
      yield commit(event("agent.crashed", { ...me(), signal: "SIGKILL", exitCode: null }));
      fence++;
      yield commit(event("agent.started", { ...me(), tookOverFrom }));
      yield commit(start());
    }
    yield commit(event("call.completed", { ...about(), result }));
    says = result;
    const answers = [{ type: "text" as const, content: result }];
    yield commit(
      event("turn.saved", { run, turn: 2, parts: answers, calls: [], usage }),
      event("run.completed", { run, answer: result, usage }),
    );
  }
  yield commit(event("agent.stopped", { ...me(), why: "idle" }));
}

const lookup = (n: number) => {
  const sku = `SKU-${n}`;
  const text = `How many ${sku} do we have?`;
  return { text, tool: "check_stock", input: { sku }, result: `${sku}: 3 in stock.` };
};

const charge = (n: number) => {
  const text = `Charge Maria's card $${n} for order ${n}.`;
  return { text, tool: "charge_card", input: { amount: n, order: `${n}` }, result: `Charged $${n}.` };
};

const newId = (prefix: string) => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 16)}`;
