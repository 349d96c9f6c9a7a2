/** An agent as people see it: derived from the fold, the same on the server and in the browser. */
import type { Definition } from "./events";
import { isUnfinished } from "./next";
import { type AgentState, callsOf, isOpen, type Run } from "./state";

/** `recovering`: there is work, and no process yet. */
export type AgentStatus = "idle" | "running" | "recovering" | "interrupted" | "failed";

export interface Agent {
  id: string;
  definition: Definition;
  status: AgentStatus;
  /** Null without a process. */
  pid: number | null;
  /** The latest incarnation; null before the first. */
  fence: number | null;
  run: Pick<Run, "id" | "status" | "startedAt"> | null;
  /** Asks that wait for their run. */
  queued: number;
  /** Why it gets no process, where its last one cannot be proven dead. */
  why?: string;
}

/** A call in flight. */
export interface RunningCall {
  id: string;
  tool: string;
  input: unknown;
  idempotent: boolean;
  attempt: number;
  startedAt: string;
  pid: number;
}

export function statusOf(state: AgentState): AgentStatus {
  if (isUnfinished(state)) return state.process ? "running" : "recovering";
  if (state.run?.status === "failed") return "failed";
  return isOpen(state.run) ? "interrupted" : "idle";
}

/** @param stuck why its last process cannot be proven dead */
export function agentOf(state: AgentState, definition: Definition, stuck?: string): Agent {
  const { id, process, run, asks } = state;
  return {
    id,
    definition,
    status: stuck ? "recovering" : statusOf(state),
    pid: process?.pid ?? null,
    fence: state.fence || null,
    run: run && { id: run.id, status: run.status, startedAt: run.startedAt },
    queued: asks.length,
    ...(stuck && { why: stuck }),
  };
}

export function runningCalls({ process, ...state }: AgentState): RunningCall[] {
  if (!process) return [];
  return callsOf({ process, ...state }, process.fence).map(({ id, tool, input, idempotent, attempts }) => ({
    id,
    tool,
    input,
    idempotent,
    attempt: attempts.at(-1)?.attempt ?? 0,
    startedAt: attempts.at(-1)?.startedAt ?? "",
    pid: process.pid,
  }));
}
