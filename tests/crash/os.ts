/** What the operating system says of processes. Linux: tests read `/proc`. */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The state letter of proc(5); null where there is no such process. */
function stateOf(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).charAt(0);
  } catch {
    return null;
  }
}

/** A zombie runs nothing any more. */
export const isRunning = (pid: number): boolean => !["Z", "X", null].includes(stateOf(pid));

/** Nothing tells when a process has stopped, so it is looked at until it has. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`It never came true: ${what}.`);
    await sleep(5);
  }
}

export const frozen = (pid: number): Promise<void> =>
  until(`pid ${pid} is frozen`, () => stateOf(pid) === "T");
export const gone = (pid: number): Promise<void> => until(`pid ${pid} is gone`, () => !isRunning(pid));
