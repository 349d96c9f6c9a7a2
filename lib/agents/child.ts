import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Arm } from "../crash-point";
import type { Registry } from "../leases";
import { birthOf, type Lease } from "../leases";
import type { FromAgent, Speech, ToAgent, ToolFacts } from "./ipc";

/** What an agent's process gets of the environment. Secrets go over IPC, never here. */
const ENVIRONMENT = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "TZ", "NODE_ENV", "ANTHROPIC_BASE_URL"];

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export interface ChildOptions {
  /** The bundle of `process.ts`. */
  entry: string;
  prepare: Extract<ToAgent, { do: "prepare" }>;
  registry: Registry;
  /** Each line that it prints. */
  onLine(line: string): void;
  onReached(arm: Arm): void;
  onSpeech(speech: Speech): void;
}

/** One operating system process for an agent: a spare at first, then one incarnation. */
export class Child {
  readonly pid: number;
  readonly #birth: string;
  /** Resolves once it could be activated; rejects if it never can. */
  readonly ready: Promise<ToolFacts[]>;
  /** Resolves once the operating system has reaped it: proof that it is dead. */
  readonly exited: Promise<Exit>;
  /** What it said before it ended itself. */
  lastWords: string | null = null;
  readonly #process: ChildProcess;

  constructor({ entry, prepare, registry, onLine, onReached, onSpeech }: ChildOptions) {
    const env = Object.fromEntries(ENVIRONMENT.map((name) => [name, process.env[name]])) as NodeJS.ProcessEnv;
    // Detached, so that a Ctrl-C in the terminal reaches the server alone, which then stops its agents.
    this.#process = spawn(process.execPath, [/* turbopackIgnore: true */ entry], {
      detached: true,
      env,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const child = this.#process;
    this.pid = child.pid ?? 0;
    this.#birth = (this.pid && birthOf(this.pid)) || "";
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on("line", onLine);
    }
    this.exited = new Promise((resolve) => {
      child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
      child.once("error", () => {
        if (!child.pid) resolve({ exitCode: null, signal: null });
      });
    });
    this.ready = new Promise((resolve, reject) => {
      child.on("message", (raw) => {
        const message = raw as FromAgent;
        if (message.is === "ready") resolve(message.tools);
        else if (message.is === "broken") reject(new Error(message.message));
        else if (message.is === "ending") this.lastWords = message.why;
        else if (message.is === "speaking") onSpeech(message.speech);
        else onReached(message.arm);
      });
      void this.exited.then(() => reject(new Error("it ended before it was ready")));
    });
    // Whoever activates it sees the failure; a spare that nobody needs may fail unseen.
    this.ready.catch(() => {});
    if (this.pid) {
      try {
        registry.add({ pid: this.pid, birth: this.#birth });
      } catch (error) {
        // One that nobody could find again must not run.
        this.kill();
        throw error;
      }
      // A name that stays is that of a dead process.
      this.exited.then(() => registry.remove(this.pid)).catch(() => {});
    }
    this.send(prepare);
  }

  /** Is this lease the one that this very process claimed? */
  owns(lease: Lease): boolean {
    return lease.process?.pid === this.pid && lease.process.birth === this.#birth;
  }

  /** Sends if it can: a process that is gone is told nothing, and its exit says the rest. */
  send(message: ToAgent): void {
    if (this.#process.connected) this.#process.send(message, () => {});
  }

  kill(): void {
    this.#process.kill("SIGKILL");
  }
}
