import type { ChildProcess } from "node:child_process";
import type { Arm } from "../crash-point";
import { type Exit, type Lease, type Registry, spawnListed } from "../leases";
import type { FromAgent, Speech, ToAgent, ToolFacts } from "./ipc";

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
    const environment = ["NODE_ENV", "ANTHROPIC_BASE_URL"];
    const { process: child, pid, birth, exited } = spawnListed({ entry, environment, registry, onLine });
    this.#process = child;
    this.pid = pid;
    this.#birth = birth;
    this.exited = exited;
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
