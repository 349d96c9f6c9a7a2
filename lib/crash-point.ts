/**
 * Named places where a process can be made to die, or to freeze: a debug hook, free while nothing is armed.
 *
 * Every commit has three, named after each type of event in it: `before-call-started` (nothing is written),
 * `inside-call-started` (written, not yet committed) and `after-call-started`. A tool that reaches outside has
 * `before-effect` and `after-effect`.
 */
import { writeSync } from "node:fs";

export interface Arm {
  at: string;
  /** `kill`: SIGKILL to oneself. `freeze`: SIGSTOP to oneself, until somebody sends SIGCONT. */
  how?: "kill" | "freeze";
}

interface Hook {
  armed: Arm | null;
  /** Told before it happens. */
  reached?: (arm: Arm) => void;
}

// On globalThis, since a tool may come from another bundle than the process that runs it.
const key = Symbol.for("relight.crash-point");
const shared = globalThis as { [key]?: Hook };

/** Arms the next pass of one point in this process, once; null disarms. */
export function arm(next: Arm | null, reached?: (arm: Arm) => void): void {
  shared[key] = { armed: next, reached };
}

/** Marks a place where an armed process dies or freezes. */
export function crashPoint(name: string): void {
  const hook = shared[key];
  if (hook?.armed?.at !== name) return;
  const { armed } = hook;
  hook.armed = null;
  hook.reached?.(armed);
  if (armed.how === "freeze") {
    process.kill(process.pid, "SIGSTOP");
    return;
  }
  writeSync(2, `Crash point ${name}: pid ${process.pid} sends itself SIGKILL.\n`);
  process.kill(process.pid, "SIGKILL");
}

/** Arms this process from `RELIGHT_CRASH_AT`, for servers. */
export function armFromEnvironment(): void {
  const at = process.env.RELIGHT_CRASH_AT;
  if (at) arm({ at });
}
