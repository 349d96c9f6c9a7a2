import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Agents } from "../agents/agents";
import { Ledger } from "../agents/ledger";
import { takeOffice } from "../agents/office";
import { Runtime } from "../agents/runtime";
import { demand, may, type Operation, OWNER, PLAYGROUND, type Scope } from "../agents/scope";
import { RelightError } from "../errors";
import type { Page } from "../log/event";
import { Book } from "../records/book";
import { type Classes, readClasses } from "../records/classes";
import type { Caller, Key } from "../records/identity";
import { Records } from "../records/records";
import { Workers } from "../records/workers";
import type { WorldView } from "../world";
import {
  closeFolder,
  type Folder,
  isCurrent,
  makeCurrent,
  newFolder,
  openDirectory,
  ownKeys,
  removeOthers,
} from "./directory";
import { Secrets, type SecretView } from "./secrets";
import { Speeches } from "./speeches";

export type LogLevel = "debug" | "info" | "warn";

export interface PlaygroundOptions {
  /** The data directory. */
  dir: string;
  /** Where the bundles are: `agent.mjs` and the capabilities. */
  dist: string;
  /** Milliseconds that each demo tool takes; 3000 unless given. */
  toolMs?: number;
  /** Milliseconds between two looks for agents that no process runs; 1000 unless given. */
  discoveryIntervalMs?: number;
  /** Milliseconds that a process with nothing to do stays; 1000 unless given. */
  lingerMs?: number;
  /** More capabilities, by name: `file:` URLs of their modules. */
  capabilities?: Record<string, string>;
  /** A folder of class files, beside the built-in ones. */
  classes?: string;
  /** Record keys, beside the playground's own. */
  keys?: Key[];
  /** Where the playground is served, for workers, which are strangers and come by HTTP. */
  url?: string;
  log?(level: LogLevel, line: string): void;
}

export interface RuntimeStatus {
  status: "running" | "stopped";
  /** Null while it is stopped. */
  id: string | null;
  /** The server's. */
  pid: number;
  startedAt: string | null;
  discoveryIntervalMs: number;
  toolMs: number;
  processes: { pid: number; agent: string | null }[];
  /** What is registered now. */
  tools: { name: string; capability: string; idempotent: boolean; readOnly: boolean }[];
}

export interface RuntimeSettings {
  discoveryIntervalMs?: number;
  toolMs?: number;
}

interface Open {
  folder: Folder;
  ledger: Ledger;
  book: Book;
  workers: Workers;
  speeches: Speeches;
}

/** May this scope read events of this subject? What is no agent's (their ids have no colon) is the whole playground's. */
export const sees = (scope: Scope, subject: string): boolean =>
  may(scope, "read", subject.includes(":") ? PLAYGROUND : subject);

/** A data directory, open: its log, its world, and the runtime of its agents. */
export class Playground {
  readonly id: string;
  readonly #options: PlaygroundOptions;
  #settings: Required<RuntimeSettings>;
  #open: Open;
  #runtime: Runtime | null = null;
  #startedAt: string | null = null;
  /** The fence of an office that this playground holds without a runtime, because giving it up failed. */
  #abandoned: number | null = null;
  /** Starting, stopping and resetting happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  readonly #closed = new AbortController();
  #swapped = new AbortController();

  readonly #classes: Classes;
  readonly #secrets = new Secrets();
  /** Every record key that is known here. */
  readonly keys: readonly Key[];

  private constructor(options: PlaygroundOptions, id: string, folder: Folder) {
    this.#options = options;
    this.id = id;
    const builtIn = join(options.dist, "..", "lib", "records", "classes");
    this.#classes = readClasses(builtIn, ...(options.classes ? [options.classes] : []));
    this.keys = [...ownKeys(options.dir), ...(options.keys ?? [])];
    this.#open = this.#opened(folder);
    this.#settings = {
      discoveryIntervalMs: options.discoveryIntervalMs ?? 1000,
      toolMs: options.toolMs ?? 3000,
    };
  }

  /** Opens a data directory, making it where there is none. The runtime is stopped. @throws INVALID, UNAVAILABLE */
  static open(options: PlaygroundOptions): Playground {
    const { playground, folder } = openDirectory(options.dir);
    return new Playground(options, playground, folder);
  }

  /** The log as it is now. After a reset it is another one. */
  get folder(): Folder {
    return this.#open.folder;
  }

  /** Aborted when the log is replaced by a reset, or the playground closed. */
  get swapped(): AbortSignal {
    return this.#swapped.signal;
  }

  /** Aborted when the playground is closed. */
  get closed(): AbortSignal {
    return this.#closed.signal;
  }

  /** Null while it is stopped. */
  get runtime(): Runtime | null {
    return this.#runtime;
  }

  /** What a scope can do with agents. */
  as(scope: Scope = OWNER): Agents {
    const { folder, ledger } = this.#open;
    return new Agents(
      {
        store: folder.store,
        ledger,
        capabilities: this.#modules.map(([name]) => name),
        runtime: () => (this.#open.folder === folder ? this.#runtime : null),
      },
      scope,
    );
  }

  /** What a caller can do with records. */
  records(caller: Caller): Records {
    return new Records(this.#open.book, caller);
  }

  /** The playground's record keys, for its owner. */
  recordKeys(scope: Scope = OWNER): readonly Key[] {
    demand(scope, "change", PLAYGROUND);
    return this.keys;
  }

  /** The processes that work on records. */
  workers(scope: Scope = OWNER, operation: Operation = "read"): Workers {
    demand(scope, operation, PLAYGROUND);
    return this.#open.workers;
  }

  /** What the agents' models say while they speak. */
  get speeches(): Speeches {
    return this.#open.speeches;
  }

  /** Whether there is a key to Claude, and where it came from. */
  secret(scope: Scope = OWNER): SecretView {
    demand(scope, "read", PLAYGROUND);
    return this.#secrets.view();
  }

  /** Sets the key to Claude, or (null) forgets the panel's; agents that are at work have it at once. */
  setSecret(raw: unknown | null, scope: Scope = OWNER): SecretView {
    demand(scope, "change", PLAYGROUND);
    const view = raw === null ? this.#secrets.forget() : this.#secrets.set(raw);
    this.#runtime?.tellKeys();
    return view;
  }

  status(scope: Scope = OWNER): RuntimeStatus {
    demand(scope, "read", PLAYGROUND);
    const runtime = this.#runtime;
    return {
      status: runtime ? "running" : "stopped",
      id: runtime?.id ?? null,
      pid: process.pid,
      startedAt: this.#startedAt,
      ...this.#settings,
      processes: runtime?.processes() ?? [],
      tools: (runtime?.tools ?? []).map(({ name, capability, idempotent, readOnly }) => ({
        name,
        capability,
        idempotent,
        readOnly,
      })),
    };
  }

  /** @throws ALREADY_RUNNING; HELD if another server runs the agents here */
  start(settings: RuntimeSettings = {}, scope: Scope = OWNER): Promise<RuntimeStatus & { cursor: number }> {
    demand(scope, "change", PLAYGROUND);
    return this.#exclusively(() => this.#start(settings));
  }

  /** When it resolves, every agent's process has ended. @throws NOT_RUNNING */
  stop(scope: Scope = OWNER): Promise<RuntimeStatus & { cursor: number }> {
    demand(scope, "change", PLAYGROUND);
    return this.#exclusively(() => this.#stop());
  }

  restart(settings: RuntimeSettings = {}, scope: Scope = OWNER): Promise<RuntimeStatus & { cursor: number }> {
    demand(scope, "change", PLAYGROUND);
    return this.#exclusively(async () => {
      if (this.#runtime) await this.#stop();
      return this.#start(settings);
    });
  }

  /** A fresh log and a fresh world, with the runtime running. What was there is gone. */
  reset(scope: Scope = OWNER): Promise<RuntimeStatus & { cursor: number; log: string }> {
    demand(scope, "change", PLAYGROUND);
    return this.#exclusively(async () => {
      const { dir } = this.#options;
      this.#catchUp();
      const old = this.#open.folder;
      // Only whoever runs the directory may replace its log; where nobody does, this is who does from here on.
      const quiet = { quiet: true, abandoned: this.#abandoned };
      const office = this.#runtime?.office ?? (await takeOffice(old.store, old.registry, "reset", quiet));
      this.#abandoned = office.fence;
      const goOn = await this.#open.workers.end();
      await this.#runtime?.end();
      this.#runtime = null;
      this.#startedAt = null;
      const fresh = await this.#replace(old).catch(async (error: unknown) => {
        // The old log goes on; its runtime is stopped until somebody starts it.
        await old.store.retire(false).catch(() => {});
        goOn();
        throw error;
      });
      this.#abandoned = null;
      const tell = this.#swap(fresh);
      try {
        await this.#run(true);
      } finally {
        // Whoever is told of the new log, and asks for the runtime, finds it running.
        tell();
      }
      removeOthers(dir, fresh);
      return { ...this.status(), cursor: await fresh.store.head(), log: fresh.store.log };
    });
  }

  /** The head of the log, and the log's id. */
  async head(): Promise<{ cursor: number; log: string }> {
    const { store } = this.#open.folder;
    return { cursor: await store.head(), log: store.log };
  }

  /** A page of what the scope covers of the log. */
  async events(
    options: { after?: number; limit: number; subject?: string },
    scope: Scope = OWNER,
  ): Promise<Page> {
    const page = await this.#open.folder.store.read(options);
    return { ...page, events: page.events.filter(({ subject }) => sees(scope, subject)) };
  }

  world(scope: Scope = OWNER): Promise<WorldView> {
    demand(scope, "read", PLAYGROUND);
    return this.#open.folder.world.view();
  }

  /** Stops the runtime and ends every stream. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#swapped.abort();
    await this.#exclusively(async () => {
      try {
        await this.#open.workers.stop();
      } finally {
        // Whatever became of the workers, the agents must not outlive this.
        if (this.#runtime) await this.#stop();
        closeFolder(this.#open.folder);
      }
    });
  }

  async #start(settings: RuntimeSettings): Promise<RuntimeStatus & { cursor: number }> {
    if (this.#runtime) throw new RelightError("ALREADY_RUNNING", "The runtime is running already.");
    if (this.#closed.signal.aborted) throw new RelightError("UNAVAILABLE", "The playground is closing.");
    this.#catchUp();
    this.#settings = { ...this.#settings, ...settings };
    const cursor = await this.#run(false);
    if (!isCurrent(this.#options.dir, this.#open.folder)) {
      await this.#stop();
      throw new RelightError("UNAVAILABLE", "Another server reset this directory just now; start again.");
    }
    removeOthers(this.#options.dir, this.#open.folder);
    return { ...this.status(), cursor };
  }

  /** @returns the cursor of its start */
  async #run(quiet: boolean): Promise<number> {
    const { folder, ledger } = this.#open;
    const { dist, lingerMs = 1000, log = () => {} } = this.#options;
    const { discoveryIntervalMs, toolMs } = this.#settings;
    const options = { world: folder.worldPath, toolMs };
    this.#runtime = await Runtime.start({
      store: folder.store,
      storePath: folder.storePath,
      ledger,
      registry: folder.registry,
      capabilities: Object.fromEntries(this.#modules.map(([name, module]) => [name, { module, options }])),
      entry: join(dist, "agent.mjs"),
      discoveryIntervalMs,
      lingerMs,
      keys: () => this.#secrets.keys,
      onSpeech: (agent, speech) => this.#open.speeches.take(agent, speech),
      quiet,
      abandoned: this.#abandoned,
      log,
    });
    this.#abandoned = null;
    await this.#open.workers.bury();
    this.#startedAt = new Date().toISOString();
    return this.#runtime.office.cursor;
  }

  async #stop(): Promise<RuntimeStatus & { cursor: number }> {
    const runtime = this.#runtime;
    if (!runtime) throw new RelightError("NOT_RUNNING", "The runtime is stopped already.");
    // Whatever becomes of it, it runs no agents from here on; and if it cannot give the directory up, the next start may.
    this.#runtime = null;
    this.#startedAt = null;
    this.#abandoned = runtime.office.fence;
    const cursor = await runtime.stop();
    this.#abandoned = null;
    return { ...this.status(), cursor };
  }

  /** Every capability by name, with the URL of its module. */
  get #modules(): [string, string][] {
    const { dist, capabilities } = this.#options;
    const shop = pathToFileURL(join(dist, "capabilities", "shop.mjs")).href;
    return Object.entries({ shop, ...capabilities });
  }

  /** While this runtime was stopped, another server may have run here, and reset. */
  #catchUp(): void {
    const { dir } = this.#options;
    if (!this.#runtime && !isCurrent(dir, this.#open.folder)) this.#swap(openDirectory(dir).folder)();
  }

  /** From the first line on nobody can write to the old log, so no cursor that it gave is given again. */
  async #replace(old: Folder): Promise<Folder> {
    await old.store.retire(true);
    const fresh = newFolder(this.#options.dir, this.id, await old.store.head());
    makeCurrent(this.#options.dir, this.id, fresh);
    return fresh;
  }

  /** Goes on with another log. @returns how to tell whoever follows the old one */
  #swap(folder: Folder): () => void {
    const old = this.#open.folder;
    this.#open = this.#opened(folder);
    return () => {
      this.#swapped.abort();
      this.#swapped = new AbortController();
      closeFolder(old);
    };
  }

  #opened(folder: Folder): Open {
    const { dist, url, log = () => {} } = this.#options;
    const workers = new Workers({
      store: folder.store,
      registry: folder.workers,
      world: folder.worldPath,
      entry: join(dist, "worker.mjs"),
      url,
      keys: this.keys,
      stepMs: () => this.#settings.toolMs,
      log,
    });
    const book = new Book(folder.store, this.#classes);
    return { folder, ledger: new Ledger(folder.store), book, workers, speeches: new Speeches() };
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }
}
