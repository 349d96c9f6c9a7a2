import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { birthOf } from "./process";
import type { Registry } from "./registry";

/** What a process gets of the environment. Secrets go over IPC, never here. */
const ENVIRONMENT = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ"];

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

interface SpawnOptions {
  /** The bundle that it runs. */
  entry: string;
  /** Names of more variables that it gets. */
  environment?: readonly string[];
  registry: Registry;
  /** Each line that it prints. */
  onLine(line: string): void;
}

interface Spawned {
  process: ChildProcess;
  /** 0 if it could not be started. */
  pid: number;
  birth: string;
  /** Resolves once the operating system has reaped it: proof that it is dead. */
  exited: Promise<Exit>;
}

/** Starts a process of ours, listed where the next server finds it. @throws if it cannot be listed */
export function spawnListed({ entry, environment = [], registry, onLine }: SpawnOptions): Spawned {
  const names = [...ENVIRONMENT, ...environment];
  const env = Object.fromEntries(names.map((name) => [name, process.env[name]])) as NodeJS.ProcessEnv;
  // Detached, so that a Ctrl-C in the terminal reaches the server alone, which then stops what it started.
  const child = spawn(process.execPath, [/* turbopackIgnore: true */ entry], {
    detached: true,
    env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  const pid = child.pid ?? 0;
  const birth = (pid && birthOf(pid)) || "";
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", onLine);
  }
  const exited = new Promise<Exit>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
    child.once("error", () => {
      if (!child.pid) resolve({ exitCode: null, signal: null });
    });
  });
  if (pid) {
    try {
      registry.add({ pid, birth });
    } catch (error) {
      // One that nobody could find again must not run.
      child.kill("SIGKILL");
      throw error;
    }
    // A name that stays is that of a dead process.
    exited.then(() => registry.remove(pid)).catch(() => {});
  }
  return { process: child, pid, birth, exited };
}
