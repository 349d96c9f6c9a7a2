/**
 * The notebook's workers: OS processes that work on records by the same HTTP that a stranger's would use. What happens
 * to them is in the log; what they print is not.
 */
import type { ChildProcess } from "node:child_process";
import { z } from "zod";
import { RelightError } from "../errors";
import { type Exit, type Registry, spawnListed } from "../leases";
import type { Draft } from "../log/event";
import type { Store } from "../store";
import { parse } from "../validate";
import type { Key } from "./identity";
import type { Worker, WorkerState } from "./view";
import { isAlive, isWorker, subjectOf, type WorkerEvent, type WorkerEvents } from "./worker-state";

/** What a worker's process is told, once: over IPC, since a key is no argument and no environment. */
export interface Orders {
  name: string;
  scenario: string;
  ignoreChanges: boolean;
  url: string;
  token: string;
  /** The world that it acts on. */
  world: string;
  /** How long one step of its work takes, in milliseconds. */
  stepMs: number;
}

export interface WorkersOptions {
  store: Store;
  registry: Registry;
  world: string;
  /** The bundle of `worker.ts`. */
  entry: string;
  url?: string;
  keys: readonly Key[];
  stepMs(): number;
  log(level: "debug" | "info" | "warn", line: string): void;
}

const SCENARIOS = ["drain"] as const;

const orders = z.strictObject({
  name: z.string(),
  scenario: z.enum(SCENARIOS),
  ignoreChanges: z.boolean().optional(),
});

const MAX_LINES = 200;
const ROLE = "remediator/";

interface Running {
  process: ChildProcess;
  pid: number;
  state: WorkerState;
  /** The last lines that it printed. */
  lines: string[];
  /** Resolves with the cursor of its end. */
  ended: Promise<number>;
}

const view = (name: string, { pid, state, lines }: Running): Worker => ({
  name,
  pid,
  state,
  output: lines.join("\n"),
});

export class Workers {
  readonly #options: WorkersOptions;
  readonly #workers = new Map<string, Running>();
  readonly #watchers = new Set<() => void>();
  /** Their deaths are nobody's news, and nobody starts: the log is thrown away, or its server stops. */
  #quiet = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  list(): Worker[] {
    return [...this.#workers].map(([name, running]) => view(name, running));
  }

  /** Calls `changed` whenever a worker's state or output did. @returns how to end it */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }

  /** @throws ALREADY_RUNNING; NOT_FOUND if no key is for a worker of that name */
  async start(raw: unknown): Promise<Worker & { cursor: number }> {
    const { name, scenario, ignoreChanges = false } = parse(orders, raw, "worker");
    const { url, world, entry, registry, stepMs, log } = this.#options;
    const { token } = this.#keyOf(name);
    if (this.#quiet) throw new RelightError("UNAVAILABLE", "The playground is being reset or closed.");
    if (!url) throw new RelightError("UNAVAILABLE", "Workers come by HTTP, and nothing is served here.");
    if (this.#alive(name)) throw new RelightError("ALREADY_RUNNING", `${name} is running already.`);

    const lines: string[] = [];
    const onLine = (line: string) => {
      lines.push(line);
      if (lines.length > MAX_LINES) lines.shift();
      this.#changed();
    };
    const { process: child, pid, exited } = spawnListed({ entry, registry, onLine });
    if (!pid) throw new RelightError("UNAVAILABLE", `${name} cannot be started.`);
    const ended = exited.then((exit) => this.#ended(name, pid, exit));
    ended.catch((error: unknown) => log("warn", `${name}: its end is not in the log: ${String(error)}`));
    const running: Running = { process: child, pid, state: "running", lines, ended };
    this.#workers.set(name, running);
    const cursor = await this.#tell(name, "worker.started", { name, pid }).catch((error: unknown) => {
      // Nobody knows of it, and it has no orders.
      child.kill("SIGKILL");
      throw error;
    });
    // Only now: nothing that it does comes before its start.
    const told: Orders = { name, scenario, ignoreChanges, url, token, world, stepMs: stepMs() };
    child.send(told, () => {});
    log("info", `${name}: started, pid ${pid}`);
    this.#changed();
    return { ...view(name, running), cursor };
  }

  /** SIGKILL; its death is in the log when it resolves. @throws NOT_RUNNING */
  async kill(name: string): Promise<{ pid: number; signal: "SIGKILL"; cursor: number }> {
    const { process, pid, ended } = this.#demand(name);
    process.kill("SIGKILL");
    return { pid, signal: "SIGKILL", cursor: await ended };
  }

  /** SIGSTOP. @throws NOT_RUNNING */
  async pause(name: string): Promise<{ pid: number; signal: "SIGSTOP"; cursor: number }> {
    const worker = this.#demand(name);
    const { pid } = worker;
    worker.process.kill("SIGSTOP");
    worker.state = "paused";
    const cursor = await this.#tell(name, "worker.paused", { name, pid });
    this.#changed();
    return { pid, signal: "SIGSTOP", cursor };
  }

  /** SIGCONT. @throws NOT_RUNNING */
  async continue(name: string): Promise<{ pid: number; signal: "SIGCONT"; cursor: number }> {
    const worker = this.#demand(name);
    const { pid } = worker;
    // Before it can do anything: what it does then comes after.
    const cursor = await this.#tell(name, "worker.continued", { name, pid });
    // It may have been killed meanwhile.
    this.#demand(name);
    worker.state = "running";
    worker.process.kill("SIGCONT");
    this.#changed();
    return { pid, signal: "SIGCONT", cursor };
  }

  /** Kills what a dead server left running, and says so in the log. Only for whoever runs the directory. */
  async bury(): Promise<void> {
    const { store, registry } = this.#options;
    const own = [...this.#workers.values()].filter(({ state }) => isAlive(state)).map(({ pid }) => pid);
    await registry.killAll(new Set(own));
    for (const { subject } of await store.subjects()) {
      const name = subject.slice(subjectOf("").length);
      if (!isWorker(subject) || this.#alive(name)) continue;
      let last: WorkerEvent | undefined;
      for (let more = true, after = 0; more; ) {
        const page = await store.read<WorkerEvent>({ subject, after, limit: 1000 });
        [last, after, more] = [page.events.at(-1) ?? last, page.cursor, page.more];
      }
      if (!last || last.type === "relight.worker.crashed" || last.type === "relight.worker.stopped") continue;
      const { pid } = last.data;
      await this.#tell(name, "worker.crashed", { name, pid, signal: null, exitCode: null });
    }
  }

  /**
   * Ends all of them, and says nothing: their log is about to be thrown away.
   * @returns how to go on where it stays after all
   */
  async end(): Promise<() => void> {
    this.#quiet = true;
    await this.#killAll();
    return () => {
      this.#quiet = false;
    };
  }

  /** Ends all of them; the log says that they were stopped. */
  async stop(): Promise<void> {
    const alive = [...this.#workers].filter(([, { state }]) => isAlive(state));
    this.#quiet = true;
    await this.#killAll();
    for (const [name, { pid }] of alive) await this.#tell(name, "worker.stopped", { name, pid });
  }

  async #killAll(): Promise<void> {
    const alive = [...this.#workers.values()].filter(({ state }) => isAlive(state));
    for (const { process } of alive) process.kill("SIGKILL");
    await Promise.allSettled(alive.map(({ ended }) => ended));
  }

  async #ended(name: string, pid: number, { exitCode, signal }: Exit): Promise<number> {
    const crashed = exitCode !== 0;
    const worker = this.#workers.get(name);
    if (worker?.pid === pid) worker.state = crashed ? "crashed" : "stopped";
    this.#changed();
    if (this.#quiet) return 0;
    if (!crashed) return this.#tell(name, "worker.stopped", { name, pid });
    this.#options.log("info", `${name}: crashed, pid ${pid}, ${signal ?? `exit code ${exitCode}`}`);
    return this.#tell(name, "worker.crashed", { name, pid, signal, exitCode });
  }

  async #tell<T extends keyof WorkerEvents>(name: string, type: T, data: WorkerEvents[T]): Promise<number> {
    const subject = subjectOf(name);
    const event = { type: `relight.${type}`, subject, data } as Draft<WorkerEvent>;
    return (await this.#options.store.commit({ subject, events: [event] })).cursor;
  }

  #alive(name: string): boolean {
    const worker = this.#workers.get(name);
    return worker !== undefined && isAlive(worker.state);
  }

  /** The key of a worker. Whoever has none is no worker. @throws NOT_FOUND */
  #keyOf(name: string): Key {
    const workers = this.#options.keys.filter((known) => known.name.startsWith(ROLE));
    const key = workers.find((known) => known.name === `${ROLE}${name}`);
    if (key) return key;
    const there = workers.map((known) => known.name.slice(ROLE.length)).join(", ");
    throw new RelightError("NOT_FOUND", `There is no key for a worker ${name}; there are: ${there}.`);
  }

  /** @throws NOT_RUNNING; NOT_FOUND */
  #demand(name: string): Running {
    const worker = this.#workers.get(name);
    if (worker && isAlive(worker.state)) return worker;
    this.#keyOf(name);
    throw new RelightError("NOT_RUNNING", `${name} is not running.`);
  }

  #changed(): void {
    for (const changed of this.#watchers) changed();
  }
}
