/**
 * What an agent is, as a fold of its log: `apply(state, event) → state`.
 *
 * The server, the agent's own process and the browser run this same file, so no two views of an agent can disagree.
 * It is pure: it never reads a clock, and returns a new state that shares what did not change.
 */
import type { AgentEvent, Ask, Decision, Definition, Failure, Part, TurnCall, Usage } from "./events";

/** One start of a call, by one incarnation of the agent. */
export interface Attempt {
  attempt: number;
  fence: number;
  pid: number;
  startedAt: string;
  endedAt?: string;
  /** How it ended where the tool did not say: `killed by SIGKILL`, `runtime stopped`, … */
  why?: string;
}

/**
 * `saved` (in a turn, not started), `started` (by the process of its last attempt, which may be gone), `in_doubt`,
 * `approved` (may start once more), and three that are settled: `denied`, `completed`, `failed`.
 */
type CallStatus = "saved" | "started" | "in_doubt" | "approved" | "denied" | "completed" | "failed";

export interface Call extends TurnCall {
  status: CallStatus;
  attempts: Attempt[];
  /** What the model reads as this call's result, once it is settled. */
  result?: { content: string; failed: boolean };
}

export interface Run {
  id: string;
  /** The ask's id. */
  message: string;
  definition: Definition;
  status: "running" | "interrupted" | "completed" | "failed";
  startedAt: string;
  /** Saved turns so far. */
  turn: number;
  /** The calls of the last saved turn. */
  calls: Call[];
  /** The calls of the turns before it, all settled. */
  earlier: Call[];
  /** The text of the last message: the answer, if it asked for no call. */
  text: string;
  /** Why the model stopped, where that is not that it was done. */
  stop?: string;
  /** How many turns in a row, up to the last one, asked for something that could not be run. */
  refused: number;
  usage: Usage;
  /** What was used before the last retry: limits count from there. */
  before: { turn: number; usage: Usage };
  error?: Failure;
}

export interface Interrupt {
  id: string;
  kind: "in_doubt";
  agent: string;
  call: { id: string; tool: string; input: unknown; attempt: number };
  attempts: Attempt[];
  openedAt: string;
  status: "open" | Decision | "closed";
  decidedBy?: string;
  decidedAt?: string;
  reason?: string;
}

export interface Message {
  role: "user" | "assistant";
  parts: Part[];
}

export interface AgentState {
  id: string;
  /** The cursor of the agent's latest event: what a commit names as "decided from". */
  position: number;
  definition: Definition | null;
  /** The incarnation that holds the agent's lease. */
  process: { pid: number; fence: number; startedAt: string } | null;
  /** The latest incarnation's fence; 0 before the first. */
  fence: number;
  /** Asks that wait for a run, in order. */
  asks: Ask[];
  /** Every ask ever received: the same id again is the same ask. See {@link findAsk}. */
  received: Received;
  /** The open run, or the latest one. */
  run: Run | null;
  /** The conversation of that run; see {@link conversation} for all of it. */
  messages: Message[];
  /** The runs before it, the latest first. */
  past: Past | null;
  interrupts: Interrupt[];
}

/** A chain, so that a long log does not make each event dearer: what is old is shared, never copied. */
interface Past {
  run: Run;
  messages: Message[];
  before: Past | null;
}

/** A chain of small parts, for the same reason. */
interface Received {
  asks: Readonly<Record<string, Ask & { cursor: number }>>;
  count: number;
  before: Received | null;
}

const ASKS_A_PART = 100;

export function initial(id: string): AgentState {
  return {
    id,
    position: 0,
    definition: null,
    process: null,
    fence: 0,
    asks: [],
    received: { asks: {}, count: 0, before: null },
    run: null,
    messages: [],
    past: null,
    interrupts: [],
  };
}

export const isSettled = (call: Call): boolean =>
  call.status === "denied" || call.status === "completed" || call.status === "failed";

/** An ask that was received before, whatever became of it. */
export function findAsk(state: AgentState, id: string): (Ask & { cursor: number }) | null {
  for (let part: Received | null = state.received; part; part = part.before) {
    // An id may be the name of something that every object has.
    if (Object.hasOwn(part.asks, id)) return part.asks[id] ?? null;
  }
  return null;
}

/** The whole conversation, valid for a model's API at every point: each tool use is answered in the next message. */
export function conversation(state: AgentState): Message[] {
  const runs = [state.messages];
  for (let past = state.past; past; past = past.before) runs.push(past.messages);
  return runs.reverse().flat();
}

/** Every run so far, the first one first. */
export function allRuns(state: AgentState): Run[] {
  const runs = state.run ? [state.run] : [];
  for (let past = state.past; past; past = past.before) runs.push(past.run);
  return runs.reverse();
}

/** Every call of a run, in order. */
export const allCalls = (run: Run | null): Call[] => (run ? [...run.earlier, ...run.calls] : []);

export const isOpen = (run: Run | null): run is Run =>
  run !== null && (run.status === "running" || run.status === "interrupted");

/** The calls that this incarnation has started and not settled. */
export const callsOf = (state: AgentState, fence: number): Call[] =>
  isOpen(state.run)
    ? state.run.calls.filter((call) => call.status === "started" && call.attempts.at(-1)?.fence === fence)
    : [];

/** Adds one event to a state. Events of an unknown type change nothing but the position. */
export function apply(before: AgentState, event: AgentEvent): AgentState {
  const state = { ...before, position: event.sequence };
  switch (event.type) {
    case "relight.agent.defined":
      return { ...state, definition: event.data.definition };

    case "relight.agent.started":
      return {
        ...state,
        fence: event.data.fence,
        process: { pid: event.data.pid, fence: event.data.fence, startedAt: event.time },
      };

    case "relight.agent.crashed":
      return processEnded(state, event.data.fence, event.time, howItDied(event.data));

    case "relight.agent.stopped":
      return processEnded(state, event.data.fence, event.time, event.data.why);

    case "relight.ask.received": {
      const ask = event.data.message;
      return {
        ...state,
        asks: [...state.asks, ask],
        received: receive(state.received, { ...ask, cursor: event.sequence }),
      };
    }

    case "relight.run.started": {
      const { run, message, definition } = event.data;
      const ask = state.asks.find((waiting) => waiting.id === message);
      return {
        ...state,
        asks: state.asks.filter((waiting) => waiting.id !== message),
        messages: [{ role: "user", parts: [{ type: "text", content: ask?.text ?? "" }] }],
        past: state.run ? { run: state.run, messages: state.messages, before: state.past } : null,
        run: {
          id: run,
          message,
          definition,
          status: "running",
          startedAt: event.time,
          turn: 0,
          calls: [],
          earlier: [],
          text: "",
          refused: 0,
          usage: NONE,
          before: { turn: 0, usage: NONE },
        },
      };
    }

    case "relight.turn.saved": {
      const { turn, parts, calls, usage, stop } = event.data;
      const messages = spoken(state.messages, parts);
      const asked = changeRun(state, (run) => ({
        ...run,
        status: "running",
        turn,
        calls: calls.map((call) => ({ ...call, status: "saved", attempts: [] })),
        earlier: [...run.earlier, ...run.calls],
        text: textOf(messages.at(-1)?.parts ?? []),
        stop,
        refused: run.calls.some(wasRefused) ? run.refused : 0,
        usage: {
          inputTokens: run.usage.inputTokens + usage.inputTokens,
          outputTokens: run.usage.outputTokens + usage.outputTokens,
        },
      }));
      return { ...asked, messages };
    }

    case "relight.call.started": {
      const { attempt, fence, pid } = event.data;
      return changeCall(state, event.data.call, (call) => ({
        ...call,
        status: "started",
        attempts: [...call.attempts, { attempt, fence, pid, startedAt: event.time }],
      }));
    }

    case "relight.call.completed": {
      const { result } = event.data;
      return settle(state, event.data.call, event.time, "completed", result, false);
    }

    case "relight.call.failed": {
      const { error, call } = event.data;
      const first = state.run?.calls.some(wasRefused) !== true;
      const failed = settle(state, call, event.time, "failed", `${error.code}: ${error.message}`, true);
      const refused = failed.run?.calls.find(({ id }) => id === call);
      // Once a turn, however many of its calls are.
      if (!first || !refused || !wasRefused(refused)) return failed;
      return changeRun(failed, (run) => ({ ...run, refused: run.refused + 1 }));
    }

    case "relight.interrupt.opened": {
      const { interrupt, call: id, attempt, kind } = event.data;
      const doubted = changeCall(state, id, (call) => ({ ...call, status: "in_doubt" }));
      const call = doubted.run?.calls.find((candidate) => candidate.id === id);
      if (!call) return state;
      const opened: Interrupt = {
        id: interrupt,
        kind,
        agent: state.id,
        call: { id, tool: call.tool, input: call.input, attempt },
        attempts: call.attempts,
        openedAt: event.time,
        status: "open",
      };
      return { ...doubted, interrupts: [...state.interrupts, opened] };
    }

    case "relight.interrupt.decided": {
      const { interrupt, call, decision, reason, by } = event.data;
      const inDoubt =
        isOpen(state.run) && state.run.calls.some(({ id, status }) => id === call && status === "in_doubt");
      if (!inDoubt) return state;
      const decided = changeInterrupt(state, interrupt, {
        status: decision,
        decidedBy: by,
        decidedAt: event.time,
        reason,
      });
      const resumed = changeRun(decided, (run) => ({ ...run, status: "running" }));
      return decision === "approved"
        ? changeCall(resumed, call, (doubted) => ({ ...doubted, status: "approved" }))
        : settle(resumed, call, event.time, "denied", reason ?? "", false);
    }

    case "relight.interrupt.closed":
      return changeInterrupt(state, event.data.interrupt, { status: "closed" });

    case "relight.run.interrupted":
      return changeRun(state, (run) => ({ ...run, status: "interrupted" }));

    case "relight.run.completed":
      return changeRun(state, (run) => ({ ...run, status: "completed" }));

    case "relight.run.failed": {
      const { error } = event.data;
      const unknown = (state.run?.calls ?? [])
        .filter((call) => !isSettled(call))
        .reduce(
          (folded, call) => settle(folded, call.id, event.time, "failed", OUTCOME_UNKNOWN, true),
          state,
        );
      return changeRun(unknown, (run) => ({ ...run, status: "failed", error }));
    }

    case "relight.run.retried":
      return changeRun(state, ({ error: _, ...run }) => ({
        ...run,
        status: "running",
        refused: 0,
        before: { turn: run.turn, usage: run.usage },
      }));

    default:
      return state;
  }
}

const NONE: Usage = { inputTokens: 0, outputTokens: 0 };

/** It failed before it ever started. */
const wasRefused = ({ status, attempts }: Call): boolean => status === "failed" && attempts.length === 0;

/** A turn that goes on where the model paused is one message with what it said before. */
function spoken(messages: Message[], parts: Part[]): Message[] {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return [...messages, { role: "assistant", parts }];
  return [...messages.slice(0, -1), { role: "assistant", parts: [...last.parts, ...parts] }];
}

const OUTCOME_UNKNOWN = "OUTCOME_UNKNOWN: the run failed before anyone knew what this call did.";

/** The text of a message's parts, as one string. */
export const textOf = (parts: Part[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.content] : [])).join("\n\n");

function receive(received: Received, ask: Ask & { cursor: number }): Received {
  return received.count < ASKS_A_PART
    ? { ...received, asks: { ...received.asks, [ask.id]: ask }, count: received.count + 1 }
    : { asks: { [ask.id]: ask }, count: 1, before: received };
}

function changeRun(state: AgentState, change: (run: Run) => Run): AgentState {
  return state.run ? { ...state, run: change(state.run) } : state;
}

function changeCall(state: AgentState, id: string, change: (call: Call) => Call): AgentState {
  return changeRun(state, (run) => ({
    ...run,
    calls: run.calls.map((call) => (call.id === id ? change(call) : call)),
  }));
}

function changeInterrupt(state: AgentState, id: string, change: Partial<Interrupt>): AgentState {
  return {
    ...state,
    interrupts: state.interrupts.map((interrupt) =>
      interrupt.id === id ? { ...interrupt, ...change } : interrupt,
    ),
  };
}

/** Settles a call. With the last call of a turn its results become the message that answers the turn. */
function settle(
  state: AgentState,
  id: string,
  time: string,
  status: "denied" | "completed" | "failed",
  content: string,
  failed: boolean,
): AgentState {
  const open = state.run?.calls.find((call) => call.id === id);
  if (!open || isSettled(open)) return state;
  const settled = changeCall(state, id, (call) => ({
    ...call,
    status,
    attempts: endAttempt(call.attempts, time),
    result: { content, failed },
  }));
  const calls = settled.run?.calls ?? [];
  if (!calls.every(isSettled)) return settled;
  const results = calls.map(
    (call): Part => ({ type: "tool_result", call: call.id, content: "", failed: false, ...call.result }),
  );
  return { ...settled, messages: [...state.messages, { role: "user", parts: results }] };
}

function processEnded(state: AgentState, fence: number, time: string, why: string): AgentState {
  const ended = changeRun(state, (run) => ({
    ...run,
    calls: run.calls.map((call) =>
      call.status === "started" && call.attempts.at(-1)?.fence === fence
        ? { ...call, attempts: endAttempt(call.attempts, time, why) }
        : call,
    ),
  }));
  return { ...ended, process: state.process?.fence === fence ? null : state.process };
}

function endAttempt(attempts: Attempt[], time: string, why?: string): Attempt[] {
  const last = attempts.at(-1);
  if (!last || last.endedAt) return attempts;
  return [...attempts.slice(0, -1), { ...last, endedAt: time, ...(why && { why }) }];
}

/** How a process ended that did not leave by itself, as far as anybody knows. */
export function howItDied(data: { signal: string | null; exitCode: number | null; why?: string }): string {
  if (data.why) return data.why;
  if (data.signal) return `killed by ${data.signal}`;
  return data.exitCode === null ? "found dead" : `exited with ${data.exitCode}`;
}
