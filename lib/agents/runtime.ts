/**
 * Keeps the agents of one directory alive: holds its one runtime lease, gives each agent with unfinished work a process
 * of its own, and buries those that die. It decides nothing about the work; that is `next`, in the agent's process.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Arm } from "../crash-point";
import { isRelightError, messageOf, RelightError } from "../errors";
import type { Registry } from "../leases";
import { bury, type Exit, isAlive, killAndProve, type Lease, release } from "../leases";
import type { Keys } from "../models";
import type { Store } from "../store";
import { Child } from "./child";
import { type AgentDraft, draft } from "./events";
import { leaseOf, type Speech, type ToolFacts } from "./ipc";
import type { Ledger } from "./ledger";
import { agentLeases, leaveOffice, type Office, type OfficeOptions, takeOffice } from "./office";
import type { CapabilityRef } from "./tool";

export interface RuntimeOptions extends OfficeOptions {
  store: Store;
  /** The file behind `store`, for the agents' processes. */
  storePath: string;
  ledger: Ledger;
  registry: Registry;
  capabilities: Record<string, CapabilityRef>;
  /** The bundle of `process.ts`. */
  entry: string;
  /** How often to look for agents that no process runs: the backstop. */
  discoveryIntervalMs: number;
  /** How long a process with nothing to do stays. */
  lingerMs: number;
  /** Handed to each process that starts an agent. */
  keys(): Keys;
  /** Told of what an agent's model says while it speaks. */
  onSpeech(agent: string, speech: Speech): void;
  log(level: "debug" | "info" | "warn", line: string): void;
}

/** How long a process may take to claim its agent: longer than it waits for the database's lock. */
const CLAIM_MS = 20_000;

interface Death {
  pid: number;
  /** Null if its lease was over before it died. */
  cursor: number | null;
}

export class Runtime {
  readonly id = `runtime_${randomUUID().slice(0, 8)}`;
  readonly #options: RuntimeOptions;
  readonly #store: Store;
  /** What it holds of the directory. */
  office: Office = { fence: 0, cursor: 0 };
  #stopping = false;
  #looking = false;
  #spare: Child | null = null;
  readonly #children = new Map<string, { child: Child; buried: Promise<Death> }>();
  readonly #arms = new Map<string, Arm>();
  /** Agents whose last process could not be proven dead, and why. */
  stuck: ReadonlyMap<string, string> = new Map();
  #discovery: NodeJS.Timeout | undefined;
  #tools: ToolFacts[] = [];

  private constructor(options: RuntimeOptions) {
    this.#options = options;
    this.#store = options.store;
  }

  /**
   * Claims the directory, ends what a dead server left behind, and brings unfinished agents back.
   * @throws HELD by a live server, naming its pid; UNAVAILABLE if a capability does not load
   */
  static async start(options: RuntimeOptions): Promise<Runtime> {
    const runtime = new Runtime(options);
    runtime.office = await takeOffice(options.store, options.registry, runtime.id, options);
    try {
      // Again, now that nobody else may: what another dead server left, and what claimed since.
      await options.registry.killAll();
      await runtime.#buryLeftovers();
      runtime.#spare = runtime.#spawn();
      runtime.#tools = await runtime.#spare.ready.catch((error: unknown) => {
        throw new RelightError("UNAVAILABLE", `The agents' process cannot start: ${messageOf(error)}.`);
      });
      await runtime.#discover();
    } catch (error) {
      await runtime.stop();
      throw error;
    }
    runtime.#discovery = setInterval(() => runtime.#look(), options.discoveryIntervalMs);
    return runtime;
  }

  /** The tools that are registered now. */
  get tools(): ToolFacts[] {
    return this.#tools;
  }

  /** The processes that it keeps; one without an agent is the spare. */
  processes(): { pid: number; agent: string | null }[] {
    const running = [...this.#children].map(([agent, { child }]) => ({ pid: child.pid, agent }));
    return this.#spare ? [...running, { pid: this.#spare.pid, agent: null }] : running;
  }

  /** Something was appended for this agent: have it seen at once. */
  poke(agent: string): void {
    this.#background(this.#wake(agent));
  }

  /**
   * Kills the agent's process with SIGKILL.
   * @returns once its crash is in the log
   * @throws NOT_RUNNING if it has none
   */
  async kill(agent: string): Promise<{ pid: number; cursor: number }> {
    const running = this.#children.get(agent);
    const lease = await this.#store.lease(leaseOf(agent));
    if (!running || lease?.status !== "open" || !running.child.owns(lease)) throw notRunning(agent);
    running.child.kill();
    const { pid, cursor } = await running.buried;
    if (cursor === null) throw notRunning(agent);
    return { pid, cursor };
  }

  /** Hands every process the keys as they are now. */
  tellKeys(): void {
    const message = { do: "keys", keys: this.#options.keys() } as const;
    for (const { child } of this.#children.values()) child.send(message);
  }

  /** Arms a crash point for the next time this agent's process gets there, also with no process; null disarms. */
  arm(agent: string, arm: Arm | null): void {
    if (arm) this.#arms.set(agent, arm);
    else this.#arms.delete(agent);
    this.#children.get(agent)?.child.send({ do: "arm", arm });
  }

  /** Ends every agent's process and gives the directory up. A call that was under way is as after a crash. */
  async stop(): Promise<number> {
    await this.end();
    return leaveOffice(this.#store, this.id, this.office.fence);
  }

  /**
   * Ends every agent's process, and keeps the directory: for a reset, which then throws it away. A death that cannot be
   * written down now is found by the next start.
   */
  async end(): Promise<void> {
    this.#stopping = true;
    clearInterval(this.#discovery);
    this.#spare?.kill();
    const ending = [...this.#children.values()].map(({ child, buried }) => {
      child.kill();
      return buried;
    });
    await Promise.allSettled([...ending, this.#spare?.exited]);
    this.#spare = null;
  }

  /** Ends what an earlier server left running. Where death cannot be proven, the agent gets no successor. */
  async #buryLeftovers(): Promise<void> {
    const stuck = new Map<string, string>();
    for (const lease of await agentLeases(this.#store)) {
      const agent = lease.resource.slice(leaseOf("").length);
      if (this.#children.has(agent) || !lease.process) continue;
      try {
        const killed = isAlive(lease.process);
        await killAndProve(lease.process);
        await this.#bury(agent, lease, { exitCode: null, signal: killed ? "SIGKILL" : null });
      } catch (error) {
        // It ended by itself meanwhile.
        if (isRelightError(error, "LAPSED") || isRelightError(error, "SUPERSEDED")) continue;
        stuck.set(agent, messageOf(error));
        this.#options.log("warn", `${agent}: ${messageOf(error)}`);
      }
    }
    this.stuck = stuck;
  }

  /** Writes down that an incarnation is dead, and ends its lease, in one commit. */
  #bury(
    agent: string,
    lease: Lease,
    exit: Exit,
    lastWords: string | null = null,
  ): Promise<{ cursor: number }> {
    const { fence } = lease;
    const pid = lease.process?.pid ?? 0;
    const event: AgentDraft = this.#stopping
      ? draft(agent, "agent.stopped", { pid, fence, why: "runtime stopped" })
      : draft(agent, "agent.crashed", { pid, fence, ...exit, ...(lastWords && { why: lastWords }) });
    const end = this.#stopping ? release : bury;
    return this.#options.ledger.append(agent, () => ({
      leases: [{ resource: leaseOf(agent), decide: (open, now) => end(open, leaseOf(agent), fence, now) }],
      events: [event],
    }));
  }

  #spawn(): Child {
    const { entry, storePath, capabilities, log, registry } = this.#options;
    const agentOf = () => [...this.#children].find(([, running]) => running.child === child)?.[0];
    const child = new Child({
      entry,
      registry,
      prepare: { do: "prepare", store: storePath, capabilities },
      onLine: (line) => log("debug", `pid ${child.pid}: ${line}`),
      onReached: () => {
        const agent = agentOf();
        if (agent !== undefined) this.#arms.delete(agent);
      },
      onSpeech: (speech) => {
        const agent = agentOf();
        if (agent !== undefined) this.#options.onSpeech(agent, speech);
      },
    });
    void child.exited.then(() => {
      if (this.#spare === child) this.#spare = null;
    });
    return child;
  }

  /** Gives an agent a process if it has unfinished work and none; else lets its process look. */
  async #wake(agent: string): Promise<void> {
    const running = this.#children.get(agent);
    if (running) return running.child.send({ do: "poke" });
    if (this.stuck.has(agent) || !(await this.#options.ledger.isUnfinished(agent))) return;
    if (this.#stopping || this.#children.has(agent)) return;
    const child = this.#spare ?? this.#spawn();
    this.#spare = null;
    const buried = child.exited.then((exit) => this.#ended(agent, child, exit));
    this.#children.set(agent, { child, buried });
    this.#background(buried);
    const armed = this.#arms.get(agent);
    if (armed) child.send({ do: "arm", arm: armed });
    const { lingerMs, keys } = this.#options;
    child.send({ do: "activate", agent, runtimeFence: this.office.fence, lingerMs, keys: keys() });
    this.#background(this.#mustClaim(agent, child));
    // The next spare begins once this one works, so that the two do not compete for the processor.
    this.#background(
      child.ready
        .catch(() => {})
        .then(() => sleep(100))
        .then(() => this.#ensureSpare()),
    );
  }

  /** One that does not claim in time (frozen, say) is killed, and another one tries. */
  async #mustClaim(agent: string, child: Child): Promise<void> {
    await Promise.race([child.exited, sleep(CLAIM_MS, undefined, { ref: false })]);
    const lease = await this.#store.lease(leaseOf(agent));
    const running = this.#children.get(agent)?.child === child;
    if (running && !(lease?.status === "open" && child.owns(lease))) child.kill();
  }

  #ensureSpare(): void {
    if (!this.#stopping) this.#spare ??= this.#spawn();
  }

  async #ended(agent: string, child: Child, exit: Exit): Promise<Death> {
    let cursor: number | null = null;
    try {
      const lease = await this.#store.lease(leaseOf(agent));
      if (lease?.status === "open" && child.owns(lease))
        cursor = (await this.#bury(agent, lease, exit, child.lastWords)).cursor;
      if (cursor === null && exit.exitCode !== 0 && !this.#stopping) {
        const reason = await child.ready.then(() => "it ended before it claimed its agent", messageOf);
        this.#options.log("warn", `${agent}: pid ${child.pid} cannot run it: ${reason}`);
      }
    } finally {
      this.#children.delete(agent);
    }
    // One that died before it claimed would die again at once: it waits for the next look.
    if (!this.#stopping && (cursor !== null || exit.exitCode === 0)) this.poke(agent);
    return { pid: child.pid, cursor };
  }

  /** Looks for agents with unfinished work that no process runs: whatever else was missed is found here. */
  async #discover(): Promise<void> {
    await this.#buryLeftovers();
    this.#ensureSpare();
    for (const { subject, unfinished } of await this.#store.subjects()) {
      // One that cannot be woken does not keep the others asleep.
      if (unfinished && !this.#children.has(subject)) this.#background(this.#wake(subject));
    }
  }

  /** One look at a time: a process that will not die takes longer than the interval. */
  #look(): void {
    if (this.#looking) return;
    this.#looking = true;
    const looked = this.#discover().finally(() => {
      this.#looking = false;
    });
    this.#background(looked);
  }

  #background(work: Promise<unknown>): void {
    work.catch((error: unknown) => {
      if (!this.#stopping) this.#options.log("warn", messageOf(error));
    });
  }
}

const notRunning = (agent: string): RelightError =>
  new RelightError("NOT_RUNNING", `${agent} has no process to kill.`, { agent });
