/**
 * One agent on random ways through its life, with the real `plan` in the place where its process has it. The server's
 * part (asks, decisions, deaths, starts) is written as the server writes it; nothing here decides what an agent does.
 */
import { type AgentDraft, type AgentEvent, draft, type Part, type TurnCall } from "../../lib/agents/events";
import { isUnfinished, type Tools } from "../../lib/agents/next";
import { type Effect, type Outcome, plan, type World } from "../../lib/agents/plan";
import { type AgentState, initial, isOpen } from "../../lib/agents/state";
import { AGENT, definition, fold, Log, tools } from "./log";

/** What the server writes about an agent of its own accord. */
type Intent =
  | { do: "ask" | "give up" }
  | { do: "define"; offered: boolean }
  | { do: "decide"; which: number; approve: boolean };

export type Operation =
  | Intent
  | { do: "start" | "crash" | "stop" | "leave" | "work" | "hear again" }
  /** What the next process finds registered; null: not at all. */
  | { do: "register"; tool: string; idempotent: boolean | null }
  /** Null: it fails. With `work` the process takes it in at once, otherwise more may come first, or its death. */
  | { do: "model answers"; calls: string[] | null; work: boolean }
  | { do: "call ends"; which: number; well: boolean; work: boolean };

interface Process {
  fence: number;
  /** What was registered when it started. */
  tools: Tools;
  running: Map<string, Effect>;
  /** All that it ever did outside. */
  begun: Set<string>;
  outcomes: Outcome[];
}

export class Simulation {
  readonly log: Log;
  /** For each event, the tools of the process that wrote it; null where the server did. */
  readonly writtenWith: (Tools | null)[] = [];
  state: AgentState;
  #registered: Tools = tools;
  #process: Process | null = null;
  #heard: Outcome | undefined;
  #ids = 0;

  /** From the start; or as a server finds an agent, after so much of its log. */
  constructor(events: readonly AgentEvent[] = [], state: AgentState = initial(AGENT)) {
    this.log = new Log(events);
    this.state = state;
    if (events.length === 0) this.#write([draft(AGENT, "agent.defined", { definition, by: "owner" })]);
  }

  run(operation: Operation): void {
    const process = this.#process;
    switch (operation.do) {
      case "register": {
        const { tool, idempotent } = operation;
        const facts = idempotent === null ? undefined : { name: tool, idempotent };
        this.#registered = { ...this.#registered, [tool]: facts };
        break;
      }
      case "start":
        if (!process && isUnfinished(this.state)) this.#start();
        break;
      case "crash":
      case "stop":
        this.#end(operation.do);
        break;
      case "leave":
        if (process?.running.size === 0 && !isUnfinished(this.state)) this.#end("idle");
        break;
      case "work":
        this.#work();
        break;
      case "hear again":
        if (process && this.#heard) process.outcomes.push(this.#heard);
        this.#work();
        break;
      case "model answers":
      case "call ends": {
        const kind = operation.do === "call ends" ? "run" : "ask the model";
        const running = [...(process?.running.values() ?? [])].filter((effect) => effect.do === kind);
        const effect = running["which" in operation ? operation.which % running.length : 0];
        if (!effect || !process?.running.delete(keyOf(effect))) break;
        this.#heard = this.#outcomeOf(effect, operation);
        process.outcomes.push(this.#heard);
        if (operation.work) this.#work();
        break;
      }
      default:
        this.#write(this.#intended(operation));
    }
  }

  /** A fair end: the process that is there dies, its successor lives, all goes well outside, every doubt is denied. */
  finish(): void {
    this.#end("crash");
    for (let steps = 0; ; steps++) {
      if (steps > 1000) throw new Error("it never comes to rest");
      const doubt = this.state.interrupts.some(({ status }) => status === "open");
      if (!this.#process && isUnfinished(this.state)) this.#start();
      else if (this.#process && this.#process.running.size > 0) {
        this.run({ do: "model answers", calls: [], work: true });
        this.run({ do: "call ends", which: 0, well: true, work: true });
      } else if (isUnfinished(this.state)) this.#work();
      else if (doubt) this.run({ do: "decide", which: 0, approve: false });
      else return;
    }
  }

  #start(): void {
    const fence = this.state.fence + 1;
    this.#process = { fence, tools: this.#registered, running: new Map(), begun: new Set(), outcomes: [] };
    this.#write([draft(AGENT, "agent.started", { pid: 100 + fence, fence })]);
    this.#work();
  }

  /** Ends the process that the log has; whatever it was doing, nothing comes of it any more. */
  #end(how: "crash" | "stop" | "idle"): void {
    const { process } = this.state;
    this.#process = null;
    if (!process) return;
    const { pid, fence } = process;
    const crashed = draft(AGENT, "agent.crashed", { pid, fence, signal: "SIGKILL", exitCode: null });
    const why = how === "idle" ? "idle" : "runtime stopped";
    this.#write([how === "crash" ? crashed : draft(AGENT, "agent.stopped", { pid, fence, why })]);
  }

  /** What an agent's process does each time that it wakes: plan, commit, then go outside. */
  #work(): void {
    const process = this.#process;
    if (!process) return;
    const world: World = {
      tools: process.tools,
      newId: (prefix) => this.#newId(prefix),
      refuse: ({ tool }, { tools: offered }) =>
        process.tools[tool] && offered.includes("shop")
          ? null
          : { code: "UNKNOWN_TOOL", message: `There is no tool ${tool}.` },
    };
    const me = { fence: process.fence, pid: 100 + process.fence };
    const planned = plan(this.state, process.outcomes, me, world);
    this.#write(planned.events, process.tools);
    // The store writes down whether work is left as the plan foresees it.
    if (isUnfinished(planned.state) !== isUnfinished(this.state))
      throw new Error("the plan foresaw another state");
    process.outcomes = [];
    const effects = new Map(planned.effects.map((effect) => [keyOf(effect), effect]));
    for (const key of effects.keys()) {
      if (process.running.has(key)) continue;
      if (process.begun.has(key)) throw new Error(`${key} would be done twice by one process`);
      process.begun.add(key);
    }
    process.running = effects;
  }

  #outcomeOf(effect: Effect, how: Extract<Operation, { work: boolean }>): Outcome {
    if (effect.do === "run") {
      const { id: call, attempts } = effect.call;
      const ended = { of: "call", run: this.state.run?.id ?? "", call, attempt: attempts.length } as const;
      const failure = { code: "TOOL_ERROR", message: "It did not happen." };
      return how.do === "call ends" && how.well ? { ...ended, result: "Done." } : { ...ended, failure };
    }
    const { run, turn } = effect;
    const about = { of: "model", run, turn } as const;
    const names = how.do === "model answers" ? how.calls : null;
    if (!names) return { ...about, failure: { code: "MODEL_FAILED", message: "overloaded" } };
    const calls = names.map((tool): TurnCall => {
      const idempotent = this.#process?.tools[tool]?.idempotent ?? false;
      return { id: this.#newId("call"), tool, input: {}, idempotent };
    });
    const uses = calls.map(
      ({ id, tool, input }): Part => ({ type: "tool_use", call: id, tool, content: input }),
    );
    const usage = { inputTokens: 1, outputTokens: 1 };
    return { ...about, parts: [{ type: "text", content: "Well." }, ...uses], calls, usage };
  }

  #intended(intent: Intent): AgentDraft[] {
    const { run, interrupts } = this.state;
    const open = interrupts.filter(({ status }) => status === "open");
    switch (intent.do) {
      case "ask": {
        const message = { id: this.#newId("ask"), text: "Hello" };
        return [draft(AGENT, "ask.received", { message, by: "owner" })];
      }
      case "define": {
        const changed = { ...definition, tools: intent.offered ? ["shop"] : [] };
        return [draft(AGENT, "agent.defined", { definition: changed, by: "owner" })];
      }
      case "decide": {
        const interrupt = open[intent.which % open.length];
        if (!interrupt) return [];
        const about = { interrupt: interrupt.id, call: interrupt.call.id, by: "maria" };
        const decision = intent.approve ? "approved" : "denied";
        const reason = intent.approve ? undefined : "No.";
        return [draft(AGENT, "interrupt.decided", { ...about, decision, reason })];
      }
      case "give up": {
        if (this.#process || !isOpen(run)) return [];
        const error = { code: "CRASH_LOOP", message: "Five deaths in a row." };
        const closed = open.map(({ id, call }) =>
          draft(AGENT, "interrupt.closed", { interrupt: id, call: call.id }),
        );
        return [draft(AGENT, "run.failed", { run: run.id, error }), ...closed];
      }
    }
  }

  #write(drafts: AgentDraft[], by: Tools | null = null): void {
    const written = this.log.append(drafts);
    for (const _ of written) this.writtenWith.push(by);
    this.state = fold(written, this.state);
  }

  /** Unlike any id in the log so far, also where this one goes on from another's. */
  #newId = (prefix: string): string => `${prefix}-${this.log.events.length}-${this.#ids++}`;
}

const keyOf = (effect: Effect): string =>
  effect.do === "run" ? `${effect.call.id}:${effect.call.attempts.length}` : `${effect.run}:${effect.turn}`;
