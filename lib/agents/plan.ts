/**
 * One commit's worth of progress: everything that follows from a state and from what came in, up to the next thing
 * that reaches outside. Pure, so that deciding again after BEHIND is deciding anew, from the newer fold.
 */
import {
  type AgentDraft,
  type AgentEvent,
  type Definition,
  draft,
  type Failure,
  type Part,
  type TurnCall,
  type Usage,
} from "./events";
import { next, type Step, type Tools } from "./next";
import { type AgentState, apply, type Call, callsOf, isOpen } from "./state";

/** What came back from outside: kept until a commit has taken it in. */
export type Outcome =
  | {
      of: "model";
      run: string;
      turn: number;
      parts: Part[];
      calls: TurnCall[];
      usage: Usage;
      stop?: string;
    }
  | { of: "model"; run: string; turn: number; failure: Failure }
  | { of: "call"; run: string; call: string; attempt: number; result: string }
  | { of: "call"; run: string; call: string; attempt: number; failure: Failure };

export interface Me {
  fence: number;
  pid: number;
}

export interface World {
  tools: Tools;
  /** Why a call cannot be started as it is (no such tool, bad arguments); null if it can. */
  refuse(call: Call, definition: Definition): Failure | null;
  newId(prefix: string): string;
}

/** What to do outside once the events are durable. */
export type Effect = { do: "ask the model"; run: string; turn: number } | { do: "run"; call: Call };

export interface Plan {
  events: AgentDraft[];
  /** The state as it will be. */
  state: AgentState;
  effects: Effect[];
}

/** Plans one commit. */
export function plan(before: AgentState, outcomes: readonly Outcome[], me: Me, world: World): Plan {
  let state = before;
  const events: AgentDraft[] = [];
  const add = (event: AgentDraft) => {
    events.push(event);
    state = foresee(state, event);
  };

  for (const outcome of outcomes) {
    const event = eventOf(state, outcome, me);
    if (event) add(event);
  }

  // To a fixpoint: each step changes the state so that it is not asked for again.
  for (;;) {
    const inner = next(state, me.fence, world.tools).flatMap((step) => eventsOf(state, step, me, world));
    if (inner.length === 0) break;
    inner.forEach(add);
  }

  const effects = next(state, me.fence, world.tools)
    .flatMap((step): Effect[] => (step.do === "ask the model" ? [step] : []))
    .concat(callsOf(state, me.fence).map((call) => ({ do: "run", call })));
  return { events, state, effects };
}

/** What an outcome adds to the log; nothing if the log has moved on without it. */
function eventOf(state: AgentState, outcome: Outcome, me: Me): AgentDraft | null {
  const { run } = state;
  if (!isOpen(run) || run.id !== outcome.run) return null;

  if (outcome.of === "model") {
    if (outcome.turn !== run.turn + 1) return null;
    if ("failure" in outcome) return draft(state.id, "run.failed", { run: run.id, error: outcome.failure });
    const { turn, parts, calls, usage, stop } = outcome;
    return draft(state.id, "turn.saved", { run: run.id, turn, parts, calls, usage, ...(stop && { stop }) });
  }

  const call = callsOf(state, me.fence).find((started) => started.id === outcome.call);
  if (!call || call.attempts.at(-1)?.attempt !== outcome.attempt) return null;
  const about = { run: run.id, call: call.id, tool: { name: call.tool }, attempt: outcome.attempt };
  return "failure" in outcome
    ? draft(state.id, "call.failed", { ...about, error: outcome.failure })
    : draft(state.id, "call.completed", { ...about, result: outcome.result });
}

/** The events of a step that stays inside; none for one that reaches outside. */
function eventsOf(state: AgentState, step: Step, me: Me, world: World): AgentDraft[] {
  const run = state.run?.id ?? "";
  switch (step.do) {
    case "start run": {
      if (!state.definition) return [];
      const started = { run: world.newId("run"), message: step.ask.id, definition: state.definition };
      return [draft(state.id, "run.started", started)];
    }

    case "start": {
      const { call, attempt } = step;
      const about = { run, call: call.id, tool: { name: call.tool }, attempt };
      const error = call.error ?? (state.run && world.refuse(call, state.run.definition));
      return error
        ? [draft(state.id, "call.failed", { ...about, error })]
        : [draft(state.id, "call.started", { ...about, input: call.input, ...me })];
    }

    case "open interrupt": {
      const { call, attempt } = step;
      const about = { run, call: call.id, tool: { name: call.tool }, attempt };
      return [
        draft(state.id, "interrupt.opened", {
          interrupt: world.newId("interrupt"),
          kind: "in_doubt",
          ...about,
        }),
      ];
    }

    case "interrupt run":
      return [draft(state.id, "run.interrupted", { run, interrupts: step.interrupts })];

    case "complete run": {
      const usage = state.run?.usage ?? { inputTokens: 0, outputTokens: 0 };
      const stop = state.run?.stop;
      return [draft(state.id, "run.completed", { run, answer: step.answer, usage, ...(stop && { stop }) })];
    }

    case "fail run":
      return [draft(state.id, "run.failed", { run, error: step.error })];

    case "ask the model":
      return [];
  }
}

/** The state as it will be after an event, but for what only the store can give: its place, its time. */
export function foresee(state: AgentState, event: AgentDraft): AgentState {
  return apply(state, { ...event, sequence: state.position + 1, time: "" } as AgentEvent);
}
