/** Builds an agent's log by hand, numbered and dated as a store would. */
import {
  type AgentDraft,
  type AgentEvent,
  type AgentEvents,
  type Definition,
  draft,
  type TurnCall,
} from "../../lib/agents/events";
import type { Tools } from "../../lib/agents/next";
import { type AgentState, apply, initial } from "../../lib/agents/state";

export const AGENT = "acme/@maria/shop";

export const definition: Definition = { model: "scripted:shop", instructions: "Help.", tools: ["shop"] };

export const tools: Tools = {
  check_stock: { name: "check_stock", idempotent: true },
  charge_card: { name: "charge_card", idempotent: false },
};

const START = Date.UTC(2030, 0, 1);

/** The log of one agent. Its cursors have gaps, since other subjects share the log of a playground. */
export class Log {
  readonly events: AgentEvent[];

  constructor(events: readonly AgentEvent[] = []) {
    this.events = [...events];
  }

  add<T extends keyof AgentEvents>(type: T, data: AgentEvents[T]): this {
    this.append([draft(AGENT, type, data)]);
    return this;
  }

  /** One commit. @returns its events */
  append(drafts: AgentDraft[]): AgentEvent[] {
    const first = this.events.length;
    const cursorOf = (at: number) => 10 + at * 3;
    const written = drafts.map((event, index) => ({
      ...event,
      specversion: "1.0",
      id: `event-${first + index}`,
      source: "/relight/test",
      time: new Date(START + (first + index) * 1000).toISOString(),
      datacontenttype: "application/json",
      sequence: cursorOf(first + index),
      commit: cursorOf(first),
    })) as AgentEvent[];
    this.events.push(...written);
    return written;
  }

  get state(): AgentState {
    return fold(this.events);
  }
}

/** Folds with every state frozen, so that a fold that changes what it was given throws. */
export function fold(events: readonly AgentEvent[], from = initial(AGENT)): AgentState {
  return events.reduce((state, event) => freeze(apply(state, event)), freeze(from));
}

/** What is frozen already is frozen all the way down, so that a shared part costs nothing. */
function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

export const stock = (id = "stock-1", idempotent = true): TurnCall => ({
  id,
  tool: "check_stock",
  input: { sku: "SKU-7" },
  idempotent,
});

export const charge = (id = "charge-1"): TurnCall => ({
  id,
  tool: "charge_card",
  input: { amount: 40, order: "1042" },
  idempotent: false,
});

/** Defined, asked once, and running under fence 1, with no turn yet. */
export function asked(text = "How many SKU-7 do we have?"): Log {
  return new Log()
    .add("agent.defined", { definition, by: "owner" })
    .add("ask.received", { message: { id: "ask-1", text }, by: "owner" })
    .add("agent.started", { pid: 101, fence: 1 })
    .add("run.started", { run: "run-1", message: "ask-1", definition });
}

/** As `asked`, with a turn of these calls saved. */
export function turn(log: Log, calls: TurnCall[], text = "", number = 1): Log {
  const uses = calls.map(
    ({ id, tool, input }) => ({ type: "tool_use", call: id, tool, content: input }) as const,
  );
  return log.add("turn.saved", {
    run: "run-1",
    turn: number,
    parts: text ? [{ type: "text", content: text }, ...uses] : uses,
    calls,
    usage: { inputTokens: 10, outputTokens: 5 },
  });
}

const about = ({ id, tool }: TurnCall, attempt: number) => ({
  run: "run-1",
  call: id,
  tool: { name: tool },
  attempt,
});

export const started = (log: Log, call: TurnCall, attempt = 1, fence = 1): Log =>
  log.add("call.started", { ...about(call, attempt), input: call.input, fence, pid: 100 + fence });

export const completed = (log: Log, call: TurnCall, result: string, attempt = 1): Log =>
  log.add("call.completed", { ...about(call, attempt), result });

export const failed = (log: Log, call: TurnCall, attempt = 1): Log =>
  log.add("call.failed", { ...about(call, attempt), error: { code: "TOOL_ERROR", message: "no such card" } });

/** The process with this fence dies, and the next one starts. */
export const crashed = (log: Log, fence = 1): Log =>
  log
    .add("agent.crashed", { pid: 100 + fence, fence, signal: "SIGKILL", exitCode: null })
    .add("agent.started", {
      pid: 101 + fence,
      fence: fence + 1,
      tookOverFrom: { pid: 100 + fence, fence },
    });

export const opened = (log: Log, call: TurnCall, interrupt = "interrupt-1", attempt = 1): Log =>
  log.add("interrupt.opened", { interrupt, kind: "in_doubt", ...about(call, attempt) });

export const interrupted = (log: Log, ...interrupts: string[]): Log =>
  log.add("run.interrupted", { run: "run-1", interrupts });

export const approved = (log: Log, call: TurnCall, interrupt = "interrupt-1"): Log =>
  log.add("interrupt.decided", { interrupt, call: call.id, decision: "approved", by: "maria" });

export const denied = (log: Log, call: TurnCall, reason: string, interrupt = "interrupt-1"): Log =>
  log.add("interrupt.decided", { interrupt, call: call.id, decision: "denied", reason, by: "maria" });
