/**
 * What an agent does next: `next(state, me, tools) → Step[]`.
 *
 * Recovery is not a special path. A fresh process and one that has run for an hour call this same function on the
 * same fold of the log; a call that was started by a process that is gone is one more state to decide from.
 * It is pure, so it is tested on every prefix of every recorded log, and the page can ask it "if it crashed here…".
 */
import type { Ask, Failure, Usage } from "./events";
import { type AgentState, type Call, isOpen, isSettled, type Run } from "./state";

/** What recovery needs to know of a tool that is registered now. */
interface ToolFacts {
  name: string;
  idempotent: boolean;
}

export type Tools = Readonly<Record<string, ToolFacts | undefined>>;

/** `ask the model` and the attempt that follows `start` reach outside; the rest is bookkeeping. */
export type Step =
  | { do: "start run"; ask: Ask }
  | { do: "ask the model"; run: string; turn: number }
  | { do: "start"; call: Call; attempt: number }
  | { do: "open interrupt"; call: Call; attempt: number }
  | { do: "interrupt run"; interrupts: string[] }
  | { do: "complete run"; answer: string }
  | { do: "fail run"; error: Failure };

/**
 * @param state the fold of the agent's whole log
 * @param me the fence of the incarnation that asks; a fence that nobody had asks for one that is yet to start
 * @param tools what is registered now, by name
 * @returns the steps that can be taken now, in any order; none if there is nothing to do but wait
 */
export function next(state: AgentState, me: number, tools: Tools): Step[] {
  const { run } = state;

  if (!isOpen(run)) {
    const ask = state.asks[0];
    return ask ? [{ do: "start run", ask }] : [];
  }

  // A model that paused goes on when it is asked again.
  const done = run.turn > 0 && run.calls.length === 0 && run.stop !== "pause_turn";
  if (done) return [{ do: "complete run", answer: run.text }];

  if (run.calls.every(isSettled)) {
    const error = overLimit(run);
    return [error ? { do: "fail run", error } : { do: "ask the model", run: run.id, turn: run.turn + 1 }];
  }

  const steps = run.calls.flatMap((call) => nextOfCall(call, me, tools));
  if (steps.length > 0) return steps;

  // Told already: only a decision changes which interrupts are open, and with it the run's status.
  if (run.status === "interrupted") return [];
  const open = run.calls.filter((call) => !isSettled(call));
  if (!open.every((call) => call.status === "in_doubt")) return [];
  const interrupts = state.interrupts
    .filter((interrupt) => interrupt.status === "open")
    .map((interrupt) => interrupt.id);
  return [{ do: "interrupt run", interrupts }];
}

function nextOfCall(call: Call, me: number, tools: Tools): Step[] {
  const last = call.attempts.at(-1);
  switch (call.status) {
    // Never started, so never in doubt.
    case "saved":
      return [{ do: "start", call, attempt: 1 }];

    // An approval is spent by the start that it allows: after it the status is "started" again.
    case "approved":
      return [{ do: "start", call, attempt: (last?.attempt ?? 0) + 1 }];

    case "started": {
      if (!last || last.fence === me) return [];
      // Its process is gone: no successor may claim before its predecessor is proven dead.
      const safe = call.idempotent && tools[call.tool]?.idempotent === true;
      return safe
        ? [{ do: "start", call, attempt: last.attempt + 1 }]
        : [{ do: "open interrupt", call, attempt: last.attempt }];
    }

    // A person decides, or nothing is left to do.
    default:
      return [];
  }
}

/** Turns that a run may take where its definition does not say. */
const MAX_TURNS = 20;

/** Turns in a row that ask for what cannot be run: whoever does so for longer does it for ever. */
const MAX_REFUSED = 3;

/** Since the run began, or was retried. */
function overLimit({ turn, usage, before, refused, definition: { limits } }: Run): Failure | null {
  const { maxTurns = MAX_TURNS, maxTokens = Number.POSITIVE_INFINITY } = limits ?? {};
  if (refused >= MAX_REFUSED) {
    return {
      code: "BAD_CALLS",
      message: `The model asked ${refused} turns in a row for calls that cannot be run.`,
    };
  }
  const turns = turn - before.turn;
  if (turns >= maxTurns)
    return { code: "LIMIT", message: `The run took ${turns} turns; ${maxTurns} is the most.` };
  const tokens = tokensOf(usage) - tokensOf(before.usage);
  if (tokens < maxTokens) return null;
  return { code: "LIMIT", message: `The run used ${tokens} tokens; ${maxTokens} is the most.` };
}

const tokensOf = ({ inputTokens, outputTokens }: Usage): number => inputTokens + outputTokens;

/** A fence that no incarnation has: `next` for a process that is yet to start. */
export const NOBODY = 0;

/** Does the agent need a process? Which tools are registered does not matter: each row asks for a step either way. */
export const isUnfinished = (state: AgentState): boolean => next(state, NOBODY, {}).length > 0;
