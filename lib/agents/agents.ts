import { randomUUID } from "node:crypto";
import { RelightError } from "../errors";
import { checkModel } from "../models";
import type { Store } from "../store";
import { parse } from "../validate";
import { type AgentEvent, type Ask, type Definition, draft } from "./events";
import * as input from "./input";
import type { Intent, Ledger } from "./ledger";
import type { Runtime } from "./runtime";
import { demand, may, type Scope } from "./scope";
import { type AgentState, conversation, findAsk, type Interrupt, type Message } from "./state";
import { type Agent, agentOf, type RunningCall, runningCalls } from "./view";

export interface AgentsOptions {
  store: Store;
  ledger: Ledger;
  /** Names of registered capabilities. */
  capabilities: string[];
  /** Null while it is stopped: asks and decisions are taken all the same. */
  runtime(): Runtime | null;
}

/** What a scope can do with agents. Everything that it writes is durable when the promise resolves. */
export class Agents {
  readonly #options: AgentsOptions;
  readonly #scope: Scope;

  constructor(options: AgentsOptions, scope: Scope) {
    this.#options = options;
    this.#scope = scope;
  }

  /** Defines an agent, or defines it anew: runs that are open keep the definition they started with. */
  async define(id: string, raw: Definition): Promise<Agent & { cursor: number }> {
    demand(this.#scope, "change", input.parseAgentId(id));
    const definition = parse(input.definition, raw, "definition");
    const { capabilities } = this.#options;
    checkModel(definition.model);
    oneOf("tools", definition.tools, capabilities);
    const by = this.#scope.principal;
    const { cursor } = await this.#append(id, () => ({
      events: [draft(id, "agent.defined", { definition, by })],
    }));
    return { ...(await this.get(id)), cursor };
  }

  /** @throws NOT_FOUND */
  async get(id: string): Promise<Agent> {
    return this.#view(await this.#known(id, "read"));
  }

  async list(): Promise<Agent[]> {
    return (await this.#states()).map((state) => this.#view(state));
  }

  /**
   * Asks. The same id again is the same ask: it gets the same answer, and nothing is written.
   * @throws CONFLICT if the id came before with another text
   */
  async ask(id: string, raw: { text: string; id?: string }): Promise<{ message: Ask; cursor: number }> {
    await this.#known(id, "change");
    const { text, id: given = randomUUID() } = parse(input.ask, raw, "ask");
    const message: Ask = { id: given, text };
    const committed = await this.#append(id, (state) => {
      const earlier = findAsk(state, given);
      if (!earlier) return { events: [draft(id, "ask.received", { message, by: this.#scope.principal })] };
      if (earlier.text === text) return { events: [], cursor: earlier.cursor };
      throw new RelightError("CONFLICT", `The ask ${given} came before, with another text.`, { id: given });
    });
    return { message, cursor: committed.cursor };
  }

  /**
   * Opens the agent's latest run again, from its last saved turn, if it failed.
   * @throws NOT_FAILED
   */
  async retry(id: string): Promise<Agent & { cursor: number }> {
    await this.#known(id, "change");
    const { cursor } = await this.#append(id, ({ run }) => {
      if (run?.status !== "failed") {
        const is = run ? `its latest run is ${run.status}` : "it has no run";
        throw new RelightError("NOT_FAILED", `${id} has no failed run to retry: ${is}.`);
      }
      return { events: [draft(id, "run.retried", { run: run.id, by: this.#scope.principal })] };
    });
    return { ...(await this.get(id)), cursor };
  }

  async calls(id: string): Promise<RunningCall[]> {
    return runningCalls(await this.#known(id, "read"));
  }

  async messages(id: string): Promise<Message[]> {
    return conversation(await this.#known(id, "read"));
  }

  async events(id: string, page: { after?: number; limit: number }) {
    await this.#known(id, "read");
    return this.#options.store.read<AgentEvent>({ subject: id, ...page });
  }

  /**
   * Kills the agent's process with SIGKILL.
   * @throws NOT_RUNNING if it has none
   */
  async kill(id: string): Promise<{ pid: number; signal: "SIGKILL"; cursor: number }> {
    await this.#known(id, "change");
    const runtime = this.#options.runtime();
    if (!runtime) throw new RelightError("NOT_RUNNING", `${id} has no process: the runtime is stopped.`);
    return { signal: "SIGKILL", ...(await runtime.kill(id)) };
  }

  async interrupts(status?: Interrupt["status"]): Promise<Interrupt[]> {
    const all = (await this.#states()).flatMap(({ interrupts }) => interrupts);
    return status ? all.filter((interrupt) => interrupt.status === status) : all;
  }

  /** Lets the call run once more, as the model wrote it. */
  approve(interrupt: string) {
    return this.#decide(interrupt, "approved");
  }

  /** Settles the call without running it: the model reads the reason as its result. */
  async deny(interrupt: string, raw: { reason: string }) {
    return this.#decide(interrupt, "denied", parse(input.reason, raw, "decision").reason);
  }

  /** @throws ALREADY_DECIDED with the decision that came first; CLOSED; NOT_FOUND */
  async #decide(interrupt: string, decision: "approved" | "denied", reason?: string) {
    const owner = (await this.#states()).find(({ interrupts }) =>
      interrupts.some(({ id }) => id === interrupt),
    );
    if (!owner) throw new RelightError("NOT_FOUND", `There is no interrupt ${interrupt}.`);
    demand(this.#scope, "decide", owner.id);
    const find = (state: AgentState) => state.interrupts.find(({ id }) => id === interrupt);
    const { cursor } = await this.#append(owner.id, (state) => {
      const open = find(state);
      if (open?.status === "closed") {
        throw new RelightError("CLOSED", `The run that asked has ended; ${interrupt} is closed.`);
      }
      if (open?.status !== "open") {
        const { decidedBy, status, reason: why } = open ?? {};
        const message = `${decidedBy} decided this before: ${status}${why ? `, “${why}”` : ""}.`;
        throw new RelightError("ALREADY_DECIDED", message, { interrupt: open });
      }
      const data = { interrupt, call: open.call.id, decision, reason, by: this.#scope.principal };
      return { events: [draft(state.id, "interrupt.decided", data)] };
    });
    const decided = find(await this.#options.ledger.state(owner.id));
    return { interrupt: decided, cursor };
  }

  async #append(id: string, decide: (state: AgentState) => Intent) {
    const committed = await this.#options.ledger.append(id, decide);
    this.#options.runtime()?.poke(id);
    return committed;
  }

  /** Every agent that the scope may read. */
  async #states(): Promise<AgentState[]> {
    const states: AgentState[] = [];
    for (const { subject } of await this.#options.store.subjects()) {
      if (!may(this.#scope, "read", subject)) continue;
      const state = await this.#options.ledger.state(subject);
      if (state.definition) states.push(state);
    }
    return states;
  }

  async #known(id: string, operation: "read" | "change"): Promise<AgentState> {
    demand(this.#scope, operation, input.parseAgentId(id));
    const state = await this.#options.ledger.state(id);
    if (!state.definition) throw new RelightError("NOT_FOUND", `There is no agent ${id}.`, { id });
    return state;
  }

  #view(state: AgentState): Agent {
    if (!state.definition) throw new RelightError("NOT_FOUND", `There is no agent ${state.id}.`);
    return agentOf(state, state.definition, this.#options.runtime()?.stuck.get(state.id));
  }
}

function oneOf(what: string, came: string[], known: string[]): void {
  const unknown = came.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new RelightError(
    "INVALID",
    `${what}: expected one of ${known.join(", ")}; came ${JSON.stringify(unknown)}.`,
  );
}
