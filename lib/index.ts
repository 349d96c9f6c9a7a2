/** The library's face. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agents } from "./agents/agents";
import { OWNER, type Scope } from "./agents/scope";
import { Playground } from "./playground/playground";

export {
  type Capability,
  defineTool,
  type Tool,
  type ToolContext,
  ToolError,
  type ToolSpec,
} from "./agents/tool";
export { connect } from "./client";
export { RelightError } from "./errors";
export { run } from "./records/run";

export interface StartOptions {
  /** A directory for the log; made where there is none. */
  dir: string;
  /** Capabilities by name: the `file:` URL of a module that exports `tools(options)`. `shop` is there already. */
  capabilities?: Record<string, string>;
  /** Milliseconds between two looks for agents that no process runs; 30,000 unless given. */
  discoveryIntervalMs?: number;
}

export interface RunningRuntime {
  /** What a principal can do with agents; everything, without arguments. */
  as(principal?: string, rights?: Pick<Scope, "roles" | "resources">): Agents;
  /** Ends every agent's process and gives the directory up; unfinished runs go on at the next start. */
  stop(): Promise<void>;
}

/**
 * Runs the agents of a directory, in processes of their own, and brings back those that were under way.
 * @throws HELD if another process runs them; INVALID, UNAVAILABLE if the directory cannot be used
 */
export async function startRuntime({
  dir,
  capabilities,
  discoveryIntervalMs = 30_000,
}: StartOptions): Promise<RunningRuntime> {
  const dist = fileURLToPath(new URL(".", import.meta.url));
  const playground = Playground.open({ dir: resolve(dir), dist, capabilities, discoveryIntervalMs });
  try {
    await playground.start();
  } catch (error) {
    await playground.close();
    throw error;
  }
  return {
    as: (principal = OWNER.principal, rights = OWNER) => playground.as({ ...rights, principal }),
    stop: () => playground.close(),
  };
}
