import type { Arm } from "../crash-point";
import type { Keys } from "../models";
import type { CapabilityRef } from "./tool";

/** What a runtime tells an agent's process. The log is the truth: a poke only makes things fast. */
export type ToAgent =
  | { do: "prepare"; store: string; capabilities: Record<string, CapabilityRef> }
  | { do: "activate"; agent: string; runtimeFence: number; lingerMs: number; keys: Keys }
  /** Keys changed. They go this way only: never into arguments, the environment or the log. */
  | { do: "keys"; keys: Keys }
  | { do: "poke" }
  | { do: "arm"; arm: Arm | null };

/** What an agent's process tells its runtime. */
export type FromAgent =
  | { is: "ready"; tools: ToolFacts[] }
  /** It cannot be used: a capability that does not load, say. */
  | { is: "broken"; message: string }
  /** It is about to end itself, and why. */
  | { is: "ending"; why: string }
  /** What a model says while it speaks; it counts once it is saved. */
  | { is: "speaking"; speech: Speech }
  | { is: "reached"; arm: Arm };

/** Text of a turn that is not saved yet. */
export interface Speech {
  run: string;
  turn: number;
  /** Where in the turn's text it stands: 0 begins anew. */
  from: number;
  text: string;
  /** Why nothing comes, and until when (epoch milliseconds): the model is asked again then. */
  waiting: { why: string; until: number } | null;
}

/** A registered tool as plain data. */
export interface ToolFacts {
  name: string;
  description: string;
  readOnly: boolean;
  idempotent: boolean;
  timeoutMs: number;
  schema: Record<string, unknown>;
  capability: string;
}

/** The lease that a runtime holds on its directory. */
export const RUNTIME = "runtime";

/** The lease that an agent's process holds on its agent. */
export const leaseOf = (agent: string): string => `agent:${agent}`;

/** Who holds the lease of a process, in words. */
export const holderOf = (pid: number): string => `pid ${pid}`;
