/**
 * Proof that a process is alive, or dead. A pid alone proves nothing, since pids come again; a pid with the moment its
 * process began does. `kill(pid, 0)` says yes to a zombie, which runs nothing any more, so the process's state is read.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { RelightError } from "../errors";
import type { ProcessId } from "./lease";

const LINUX = process.platform === "linux";

/** What tells this process from a later one with its pid; null if no such process runs (a zombie does not). */
export function birthOf(pid: number): string | null {
  return LINUX ? birthFromProc(pid) : birthFromPs(pid);
}

/** This process. */
export function self(): ProcessId {
  return { pid: process.pid, birth: birthOf(process.pid) ?? "" };
}

/** Does this very process still exist, running or frozen? */
export function isAlive({ pid, birth }: ProcessId): boolean {
  return birthOf(pid) === birth;
}

/**
 * Kills a process with SIGKILL and waits until it is gone. One that is gone already is fine: another process with its
 * pid is never touched.
 * @throws UNAVAILABLE if its death cannot be proven
 */
export async function killAndProve(target: ProcessId, timeoutMs = 5000): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let wait = 1; isAlive(target); wait = Math.min(wait * 2, 50)) {
    try {
      process.kill(target.pid, "SIGKILL");
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ESRCH") {
        throw new RelightError(
          "UNAVAILABLE",
          `pid ${target.pid} cannot be killed (${code}), so it may still run.`,
        );
      }
    }
    if (Date.now() > deadline) {
      throw new RelightError(
        "UNAVAILABLE",
        `pid ${target.pid} is still alive ${timeoutMs} ms after SIGKILL.`,
      );
    }
    await sleep(wait);
  }
}

/** `/proc/PID/stat`: `pid (name) state ppid … starttime`; the name may hold spaces and parentheses. See proc(5). */
function birthFromProc(pid: number): string | null {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return null;
    throw new RelightError("UNAVAILABLE", `Whether pid ${pid} is alive cannot be read (${code}).`);
  }
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const state = fields[0];
  if (state === "Z" || state === "X") return null;
  return `${bootId()}:${fields[19]}`;
}

let boot: string | undefined;
function bootId(): string {
  boot ??= readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  return boot;
}

function birthFromPs(pid: number): string | null {
  try {
    const env = { ...process.env, LC_ALL: "C", TZ: "UTC" };
    const line = execFileSync("ps", ["-o", "stat=,lstart=", "-p", String(pid)], {
      encoding: "utf8",
      env,
    }).trim();
    return line === "" || line.startsWith("Z") ? null : line.replace(/^\S+\s+/, "");
  } catch (error) {
    // `ps` exits with 1 when there is no such process.
    if ((error as { status?: number }).status === 1) return null;
    throw new RelightError("UNAVAILABLE", `Whether pid ${pid} is alive cannot be read (ps failed).`);
  }
}
