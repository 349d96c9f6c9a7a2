import type { Arm } from "../crash-point";
import type { CapabilityRef } from "./tool";

/** What a runtime tells an agent's process. The log is the truth: a poke only makes things fast. */
export type ToAgent =
  | { do: "prepare"; store: string; capabilities: Record<string, CapabilityRef> }
  | { do: "activate"; agent: string; runtimeFence: number; lingerMs: number }
  | { do: "poke" }
  | { do: "arm"; arm: Arm | null };

/** What an agent's process tells its runtime. */
export type FromAgent =
  | { is: "ready"; tools: ToolFacts[] }
  /** It cannot be used: a capability that does not load, say. */
  | { is: "broken"; message: string }
  /** It is about to end itself, and why. */
  | { is: "ending"; why: string }
  | { is: "reached"; arm: Arm };

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
