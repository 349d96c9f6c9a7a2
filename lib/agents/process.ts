/**
 * An agent's own operating system process: one incarnation of it. It claims the agent's lease once, and then does
 * `next` until there is nothing to do. Bundled to `dist/agent.mjs`; the runtime keeps a prepared one as a spare.
 *
 * Crash-only: whatever it does not expect ends it, and the log has all that its successor needs.
 */
import { randomUUID } from "node:crypto";
import { arm, crashPoint } from "../crash-point";
import { isRelightError, messageOf } from "../errors";
import { claim, type Displaced, type Lease, prove, release, self } from "../leases";
import { Fold } from "../log/fold";
import { type Keys, ModelError, type ModelTurn, modelOf } from "../models";
import { openSqliteStore, type Store } from "../store";
import { type AgentEvent, type Definition, draft, type Failure, type Part, type TurnCall } from "./events";
import { type FromAgent, holderOf, leaseOf, RUNTIME, type Speech, type ToAgent } from "./ipc";
import { isUnfinished } from "./next";
import { type Effect, type Me, type Outcome, plan, type World } from "./plan";
import { type AgentState, apply, conversation, initial } from "./state";
import { saysItDidNotHappen, type ToolContext } from "./tool";
import { Toolbox } from "./toolbox";

/** What a model may be handed of one result. */
const MAX_RESULT_BYTES = 256 * 1024;
const MAX_MESSAGE = 4000;

class Incarnation {
  readonly #store: Store;
  readonly #toolbox: Toolbox;
  readonly #agent: string;
  readonly #me: Me;
  readonly #lingerMs: number;
  readonly #fold: Fold<AgentState, AgentEvent>;
  readonly #world: World;
  /** What is under way outside, until a commit has taken in what came of it. */
  readonly #running = new Set<string>();
  #outcomes: { key: string; outcome: Outcome }[] = [];
  #wake: () => void = () => {};
  #poked = false;
  /** As they are now; in memory only. */
  readonly #keys: () => Keys;

  constructor(store: Store, toolbox: Toolbox, agent: string, me: Me, lingerMs: number, keys: () => Keys) {
    this.#keys = keys;
    this.#store = store;
    this.#toolbox = toolbox;
    this.#agent = agent;
    this.#me = me;
    this.#lingerMs = lingerMs;
    this.#fold = new Fold(store, agent, initial(agent), apply);
    this.#world = {
      tools: Object.fromEntries(toolbox.facts().map((facts) => [facts.name, facts])),
      refuse: (call, definition) => toolbox.refuse(call, definition),
      newId,
    };
  }

  /** There may be something new in the log. */
  poke(): void {
    this.#poked = true;
    this.#wake();
  }

  /** Works until there is nothing to do, then gives the lease up. */
  async live(): Promise<void> {
    for (;;) {
      this.#poked = false;
      const state = await this.#fold.read();
      const taken = [...this.#outcomes];
      const planned = plan(
        state,
        taken.map(({ outcome }) => outcome),
        this.#me,
        this.#world,
      );
      if (planned.events.length > 0 && !(await this.#commit(state, planned))) continue;

      this.#outcomes = this.#outcomes.slice(taken.length);
      for (const { key } of taken) this.#running.delete(key);
      for (const effect of planned.effects) this.#start(effect, planned.state);

      if (this.#poked || this.#outcomes.length > 0) continue;
      if (this.#running.size > 0) await this.#something();
      else if ((await this.#something(this.#lingerMs)) === "timeout" && (await this.#leave())) return;
    }
  }

  /** @returns false if the log moved on since `state`: decide again, from what it is now */
  async #commit(
    state: AgentState,
    planned: Pick<ReturnType<typeof plan>, "events" | "state">,
    leaving = false,
  ) {
    const mine = (lease: Lease | null, now: number) =>
      leaving
        ? release(lease, leaseOf(this.#agent), this.#me.fence, now)
        : prove(lease, leaseOf(this.#agent), this.#me.fence, now);
    try {
      await this.#store.commit({
        subject: this.#agent,
        position: state.position,
        leases: [{ resource: leaseOf(this.#agent), decide: mine }],
        events: planned.events,
        unfinished: isUnfinished(planned.state),
      });
      return true;
    } catch (error) {
      if (isRelightError(error, "BEHIND")) return false;
      throw error;
    }
  }

  /** Gives the lease up, unless something came in meanwhile. */
  async #leave(): Promise<boolean> {
    const state = await this.#fold.read();
    if (isUnfinished(state)) return false;
    const events = [draft(this.#agent, "agent.stopped", { ...this.#me, why: "idle" })];
    return this.#commit(state, { events, state }, true);
  }

  /** Waits for a poke or an outcome. */
  #something(timeoutMs?: number): Promise<"woken" | "timeout"> {
    if (this.#poked || this.#outcomes.length > 0) return Promise.resolve("woken");
    return new Promise((resolve) => {
      const timer = timeoutMs === undefined ? undefined : setTimeout(() => resolve("timeout"), timeoutMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve("woken");
      };
    });
  }

  /** Starts what the log says is to be done outside, once. */
  #start(effect: Effect, state: AgentState): void {
    const key =
      effect.do === "run"
        ? `${effect.call.id}:${effect.call.attempts.at(-1)?.attempt}`
        : `${effect.run}:${effect.turn}`;
    if (this.#running.has(key)) return;
    this.#running.add(key);
    const done = effect.do === "run" ? this.#run(effect, state) : this.#ask(effect, state);
    done.then((outcome) => {
      this.#outcomes.push({ key, outcome });
      this.#wake();
    }, die);
  }

  async #ask({ run, turn }: Extract<Effect, { do: "ask the model" }>, state: AgentState): Promise<Outcome> {
    const definition = state.run?.definition;
    if (!definition) throw new Error("a run without a definition");
    const speech = new Speaking(run, turn);
    const keys = this.#keys;
    try {
      const { model, name } = await modelOf(definition.model);
      const messages = conversation(state);
      const { parts, calls, usage, stop } = await model
        .ask({
          model: name,
          instructions: definition.instructions,
          messages,
          earlier: messages.length - state.messages.length,
          tools: this.#toolbox
            .offered(definition)
            .map(({ name, description, schema }) => ({ name, description, schema })),
          get keys() {
            return keys();
          },
          speak: (text) => speech.say(text),
          wait: (why, ms) => speech.wait(why, ms),
        })
        .then((answer) => this.#turnOf(answer, definition));
      return { of: "model", run, turn, parts, calls, usage, ...(stop && { stop }) };
    } catch (error) {
      const failure = error instanceof ModelError ? error.failure : failed("MODEL_FAILED", messageOf(error));
      return { of: "model", run, turn, failure };
    } finally {
      speech.end();
    }
  }

  /** The turn as it is saved: each call with an id of ours, and with what is promised of its tool now. */
  #turnOf({ parts: given, usage, stop }: ModelTurn, definition: Definition) {
    const calls: TurnCall[] = [];
    const parts = given.map((part): Part => {
      if (part.type !== "call") return part;
      const { modelId, tool, input, error } = part;
      const idempotent = this.#toolbox.get(tool, definition)?.idempotent ?? false;
      const call = newId("call");
      calls.push({ id: call, tool, input, idempotent, ...(error && { error }) });
      return { type: "tool_use", call, ...(modelId && { modelId }), tool, content: input };
    });
    return { parts, calls, usage, stop };
  }

  async #run({ call }: Extract<Effect, { do: "run" }>, state: AgentState): Promise<Outcome> {
    const { run } = state;
    const tool = run && this.#toolbox.get(call.tool, run.definition);
    const attempt = call.attempts.at(-1)?.attempt ?? 1;
    const parsed = tool?.parse(call.input);
    if (!run || !tool || !parsed?.ok) throw new Error(`${call.tool} was started, and cannot be run`);

    const about = { of: "call", run: run.id, call: call.id, attempt } as const;
    const timeout = new AbortController();
    const context: ToolContext = {
      agent: this.#agent,
      run: run.id,
      call: call.id,
      attempt,
      idempotencyKey: call.id,
      signal: timeout.signal,
    };
    try {
      const result = await inTime(tool.timeoutMs, timeout, async () => tool.run(parsed.input, context));
      const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "");
      const bytes = Buffer.byteLength(text);
      if (bytes <= MAX_RESULT_BYTES) return { ...about, result: text };
      const message = `${call.tool} ran, but its result has ${bytes} bytes; ${MAX_RESULT_BYTES} is the most.`;
      return { ...about, failure: failed("TOO_LARGE", message) };
    } catch (error) {
      const timedOut = error === TIMED_OUT;
      const said = timedOut ? `took longer than ${tool.timeoutMs} ms` : `threw: ${messageOf(error)}`;
      const message = `${call.tool} ${said}`;
      if (tool.idempotent)
        return { ...about, failure: failed(timedOut ? "TIMEOUT" : "TOOL_FAILED", message) };
      if (saysItDidNotHappen(error)) return { ...about, failure: failed("TOOL_ERROR", messageOf(error)) };
      // Nobody can say what it did, and it may be doing it still: end the process, and let a person decide.
      return endMyself(message);
    }
  }
}

const SPEAK_MS = 50;

/** Tells the runtime what a model says, a few words at a time. */
class Speaking {
  readonly #about: Pick<Speech, "run" | "turn">;
  #text = "";
  #told = 0;
  #timer: NodeJS.Timeout | undefined;

  /** What was said of this turn before, by a process that died of it, is void. */
  constructor(run: string, turn: number) {
    this.#about = { run, turn };
    this.#tell(null);
  }

  say(text: string): void {
    this.#text += text;
    this.#timer ??= setTimeout(() => this.#tell(null), SPEAK_MS);
  }

  /** What was said is void: the model is asked again. */
  wait(why: string, ms: number): void {
    [this.#text, this.#told] = ["", 0];
    this.#tell({ why, until: Date.now() + ms });
  }

  end(): void {
    clearTimeout(this.#timer);
  }

  #tell(waiting: Speech["waiting"]): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const from = this.#told;
    this.#told = this.#text.length;
    send({ is: "speaking", speech: { ...this.#about, from, text: this.#text.slice(from), waiting } });
  }
}

const TIMED_OUT = Symbol("timed out");

async function inTime<T>(ms: number, timeout: AbortController, work: () => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      timeout.abort();
      reject(TIMED_OUT);
    }, ms);
  });
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const failed = (code: string, message: string): Failure => ({ code, message: message.slice(0, MAX_MESSAGE) });

const newId = (prefix: string): string => `${prefix}_${randomUUID().replaceAll("-", "").slice(0, 16)}`;

function send(message: FromAgent): void {
  process.send?.(message);
}

/** SIGKILL to oneself: nothing that is under way in this process goes on. */
function endMyself(why: string): Promise<never> {
  send({ is: "ending", why: why.slice(0, MAX_MESSAGE) });
  process.kill(process.pid, "SIGKILL");
  return new Promise(() => {});
}

/** The log has all that a successor needs. */
function die(error: unknown): never {
  // Displaced: another incarnation owns the agent, and this one has nothing more to say.
  if (!isRelightError(error, "SUPERSEDED") && !isRelightError(error, "LAPSED")) console.error(error);
  process.exit(1);
}

async function becomeAgent(
  prepared: { store: Store; toolbox: Toolbox },
  { agent, runtimeFence, lingerMs }: Extract<ToAgent, { do: "activate" }>,
  keys: () => Keys,
): Promise<Incarnation> {
  const { pid } = process;
  process.title = `relight agent ${agent}`;
  crashPoint("before-agent-started");
  let displaced: Displaced | null = null;
  const { leases } = await prepared.store.commit({
    subject: agent,
    leases: [
      // A runtime that was displaced cannot start anybody, even through a process that it left behind.
      { resource: RUNTIME, decide: (lease, now) => prove(lease, RUNTIME, runtimeFence, now) },
      {
        resource: leaseOf(agent),
        decide: (before, now) => {
          const request = { resource: leaseOf(agent), holder: holderOf(pid), process: self() };
          const claimed = claim(before, request, now);
          displaced = claimed.displaced;
          return claimed.lease;
        },
      },
    ],
    events: ([, lease]) => {
      const tookOverFrom = displaced && { pid: displaced.process?.pid ?? 0, fence: displaced.fence };
      const data = { pid, fence: lease?.fence ?? 0, ...(tookOverFrom && { tookOverFrom }) };
      return [draft(agent, "agent.started", data)];
    },
  });
  const fence = leases[1]?.fence ?? 0;
  return new Incarnation(prepared.store, prepared.toolbox, agent, { fence, pid }, lingerMs, keys);
}

function main(): void {
  let prepared: Promise<{ store: Store; toolbox: Toolbox }> | undefined;
  let incarnation: Incarnation | undefined;
  let keys: Keys = {};

  async function obey(message: ToAgent): Promise<void> {
    switch (message.do) {
      case "prepare": {
        prepared = Toolbox.load(message.capabilities).then((toolbox) => ({
          toolbox,
          store: openSqliteStore({ path: message.store }),
        }));
        const { toolbox } = await prepared;
        return send({ is: "ready", tools: toolbox.facts() });
      }
      case "activate": {
        if (!prepared) throw new Error("activated before it was prepared");
        // Before anything is waited for: newer ones may come meanwhile.
        keys = message.keys;
        incarnation = await becomeAgent(await prepared, message, () => keys);
        await incarnation.live();
        return process.exit(0);
      }
      case "poke":
        return incarnation?.poke();
      case "keys":
        keys = message.keys;
        return;
      case "arm":
        return arm(message.arm, (reached) => send({ is: "reached", arm: reached }));
    }
  }

  // Its runtime is gone: whatever runs here must not go on behind the back of the next one.
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
  process.on("message", (message) => {
    obey(message as ToAgent).catch((error: unknown) => {
      if (!incarnation) send({ is: "broken", message: messageOf(error) });
      die(error);
    });
  });
}

main();
