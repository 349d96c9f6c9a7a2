/** The typed client over HTTP and SSE, for pages, cells, the command line and tests alike. */
import type { AgentEvent, Ask, Definition, RunEnd } from "../agents/events";
import type { Scope } from "../agents/scope";
import type { Interrupt, Message } from "../agents/state";
import type { Agent, RunningCall } from "../agents/view";
import {
  type CallStarted,
  firstCall,
  firstDecision,
  firstRunEnd,
  type InterruptDecided,
} from "../agents/wait";
import { RelightError } from "../errors";
import { type Envelope, type Page, shortType } from "../log/event";
import type { RuntimeSettings, RuntimeStatus } from "../playground/playground";
import type { SecretView } from "../playground/secrets";
import type { WorldView } from "../world";
import { Http } from "./http";
import { SCRIPTED } from "./model-names";
import { RecordsClient } from "./records";
import { type StreamMessage, type StreamOptions, type StreamSource, stream } from "./stream";
import { WorkersClient } from "./workers";

type Cursor = { cursor: number };
export interface Followed<E extends Envelope = Envelope> {
  event: E;
  cursor: number;
}

type Told = Envelope<string, Record<string, unknown>>;
export interface NextOptions {
  /** Exclusive; the log's head unless given. */
  after?: number;
  where?(event: Told): boolean;
  signal?: AbortSignal;
}

const at = (id: string): string => `/agents/${encodeURIComponent(id)}`;

/**
 * A client of the server at `url`; in a page, of its own.
 * @param lent gives the stream's messages in place of connections of one's own
 */
export function connect(url = "", lent?: StreamSource): Relight {
  return new Relight(new Http(url, lent));
}

/** Everything that a scope may see and do. */
export class ScopedClient {
  constructor(protected readonly http: Http) {}

  /** Defines an agent, or defines it anew. */
  async define(id: string, definition: Definition): Promise<AgentClient> {
    await this.http.put<Agent & Cursor>(at(id), definition);
    return this.agent(id);
  }

  /** An agent that is there already; nothing is asked of the server. */
  agent(id: string): AgentClient {
    return new AgentClient(this.http, id);
  }

  readonly agents = {
    list: async (): Promise<Agent[]> => (await this.http.get<{ agents: Agent[] }>("/agents")).agents,
  };

  readonly events = {
    head: (): Promise<Cursor & { log: string }> => this.http.get("/events/head"),
    list: ({ after = 0, limit = 200 } = {}): Promise<Page<AgentEvent>> =>
      this.http.get(`/events?after=${after}&limit=${limit}`),
    follow: (options: Omit<StreamOptions, "agent"> = {}): AsyncGenerator<Followed> =>
      follow(this.http, options),
    /** The next event of a type (`checkpoint.saved`), of all or of those that are wanted. */
    next: async (type: string, { where = () => true, ...options }: NextOptions = {}): Promise<Told> => {
      const after = options.after ?? (await this.events.head()).cursor;
      for await (const { event } of follow<Told>(this.http, { ...options, after })) {
        if (shortType(event.type) === type && where(event)) return event;
      }
      throw new RelightError("UNAVAILABLE", "The log ended while it was followed.");
    },
  };

  readonly interrupts = {
    list: async (status?: Interrupt["status"]): Promise<Interrupt[]> => {
      const query = status ? `?status=${status}` : "";
      return (await this.http.get<{ interrupts: Interrupt[] }>(`/interrupts${query}`)).interrupts;
    },
    approve: (id: string): Promise<{ interrupt: Interrupt } & Cursor> =>
      this.http.post(`/interrupts/${encodeURIComponent(id)}/approve`),
    deny: (id: string, { reason }: { reason: string }): Promise<{ interrupt: Interrupt } & Cursor> =>
      this.http.post(`/interrupts/${encodeURIComponent(id)}/deny`, { reason }),
  };
}

export class Relight extends ScopedClient {
  /** The model that a notebook's agents ask. */
  model: string = SCRIPTED;

  /** The server's address. */
  get url(): string {
    return this.http.base;
  }

  /** Acts as a principal, with fewer rights: every request carries them. */
  as(principal: string, rights: Pick<Scope, "roles" | "resources">): ScopedClient {
    return new ScopedClient(this.http.as({ principal, ...rights }));
  }

  readonly runtime = {
    status: (): Promise<RuntimeStatus> => this.http.get("/runtime"),
    start: (settings?: RuntimeSettings): Promise<RuntimeStatus & Cursor> =>
      this.http.post("/runtime/start", settings),
    /** Every agent's process has ended when it resolves. */
    stop: (): Promise<RuntimeStatus & Cursor> => this.http.post("/runtime/stop"),
    restart: (settings?: RuntimeSettings): Promise<RuntimeStatus & Cursor> =>
      this.http.post("/runtime/restart", settings),
  };

  /** What the runtime cannot roll back: the bank, the cluster, how often each tool ran. */
  world(): Promise<WorldView> {
    return this.http.get("/world");
  }

  /** One of the server's files that notebooks show: `capabilities/shop`. `runs`: it is what was bundled, and runs. */
  source(name: string): Promise<{ code: string; runs: boolean }> {
    return this.http.get(`/source/${encodeURIComponent(name)}`);
  }

  /** Records, by a key: what its name is, and so what it may do, the server knows. Without one: to read. */
  records({ token }: { token?: string } = {}): RecordsClient {
    return new RecordsClient(
      token === undefined ? this.http : this.http.with({ authorization: `Bearer ${token}` }),
    );
  }

  /** The key to Claude: whether there is one, never the key. */
  readonly secrets = {
    anthropic: (): Promise<SecretView> => this.http.get("/secrets/anthropic"),
    /** In memory only, for this playground. */
    set: (key: string): Promise<SecretView> => this.http.put("/secrets/anthropic", { key }),
    /** Forgets the panel's: the environment's is used again, if there is one. */
    forget: (): Promise<SecretView> => this.http.delete("/secrets/anthropic"),
  };

  /** The playground's record keys. */
  async keys(): Promise<{ token: string; name: string }[]> {
    return (await this.http.get<{ keys: { token: string; name: string }[] }>("/keys")).keys;
  }

  /** The processes that work on records. */
  get workers(): WorkersClient {
    return new WorkersClient(this.http);
  }

  /** A fresh log and a fresh world; what was there is gone. */
  reset(): Promise<RuntimeStatus & Cursor & { log: string }> {
    return this.http.post("/playground/reset");
  }

  /** The whole live stream: log, events and the world. */
  stream(options?: StreamOptions): AsyncGenerator<StreamMessage> {
    return stream(this.http, options);
  }
}

/** One agent. */
export class AgentClient {
  constructor(
    private readonly http: Http,
    readonly id: string,
  ) {}

  get(): Promise<Agent> {
    return this.http.get(at(this.id));
  }

  /** Asks; durable when it resolves. With the id of an earlier ask it is that ask, and nothing is asked twice. */
  ask(text: string, { id = crypto.randomUUID() as string } = {}): Promise<{ message: Ask } & Cursor> {
    return this.http.post(`${at(this.id)}/ask`, { text, id });
  }

  /** The calls in flight now. */
  async calls(): Promise<RunningCall[]> {
    return (await this.http.get<{ calls: RunningCall[] }>(`${at(this.id)}/calls`)).calls;
  }

  async messages(): Promise<Message[]> {
    return (await this.http.get<{ messages: Message[] }>(`${at(this.id)}/messages`)).messages;
  }

  events({ after = 0, limit = 200 } = {}): Promise<Page<AgentEvent>> {
    return this.http.get(`${at(this.id)}/events?after=${after}&limit=${limit}`);
  }

  /**
   * The first call that starts after the cursor; without one, a call that runs now, or else the next.
   * @throws NOT_RUNNING if a run ends without a call
   */
  async running({ after, signal }: { after?: number; signal?: AbortSignal } = {}): Promise<CallStarted> {
    const from = after ?? (await this.#sinceRunningCall());
    return firstCall(this.#events(from, signal));
  }

  /** Opens its latest run again, from its last saved turn. @throws NOT_FAILED */
  retry(): Promise<Agent & Cursor> {
    return this.http.post(`${at(this.id)}/retry`);
  }

  /** Kills the agent's process with SIGKILL; its crash is in the log when it resolves. @throws NOT_RUNNING */
  kill(): Promise<{ pid: number; signal: "SIGKILL" } & Cursor> {
    return this.http.post(`${at(this.id)}/kill`);
  }

  /** The next event that ends a run: `run.completed`, `run.interrupted` or `run.failed`. */
  async runEnd({ after, signal }: { after?: number; signal?: AbortSignal } = {}): Promise<RunEnd> {
    const from = after ?? (await this.http.get<Cursor>("/events/head")).cursor;
    return firstRunEnd(this.#events(from, signal));
  }

  /** The agent's log from a cursor on, live. */
  follow({
    after,
    signal,
  }: {
    after?: number;
    signal?: AbortSignal;
  } = {}): AsyncGenerator<Followed<AgentEvent>> {
    return follow<AgentEvent>(this.http, { after, agent: this.id, signal });
  }

  /** Lets a call in doubt run once more, as the model wrote it. @throws ALREADY_DECIDED, CLOSED */
  approve(interrupt: string): Promise<{ interrupt: Interrupt } & Cursor> {
    return new ScopedClient(this.http).interrupts.approve(interrupt);
  }

  /** Settles a call in doubt without running it: the model reads the reason. @throws ALREADY_DECIDED, CLOSED */
  deny(interrupt: string, reason: { reason: string }): Promise<{ interrupt: Interrupt } & Cursor> {
    return new ScopedClient(this.http).interrupts.deny(interrupt, reason);
  }

  /** Somebody's decision of a call in doubt, made already or to come. @throws CLOSED if its run ends without one */
  decided(interrupt: string, { signal }: { signal?: AbortSignal } = {}): Promise<InterruptDecided> {
    return firstDecision(this.#events(0, signal), interrupt);
  }

  async *#events(after: number, signal?: AbortSignal): AsyncGenerator<AgentEvent> {
    for await (const { event } of this.follow({ after, signal })) yield event;
  }

  /** The cursor just before the start of a call that runs now; the head if none does. */
  async #sinceRunningCall(): Promise<number> {
    const { cursor } = await this.http.get<Cursor>("/events/head");
    const [running] = await this.calls();
    if (!running) return cursor;
    for (let after = 0; ; ) {
      const page = await this.events({ after, limit: 1000 });
      const started = page.events.find(
        ({ type, data }) =>
          type === "relight.call.started" && data.call === running.id && data.attempt === running.attempt,
      );
      if (started) return started.sequence - 1;
      if (!page.more) return cursor;
      after = page.cursor;
    }
  }
}

/** @throws RESET if the log is replaced by another: what was waited for will never come */
async function* follow<E extends Envelope>(http: Http, options: StreamOptions): AsyncGenerator<Followed<E>> {
  let log: string | undefined;
  for await (const message of stream(http, options)) {
    if (message.is === "log") {
      const older = options.after !== undefined && options.after > 0 && options.after < message.base;
      if (older || (log !== undefined && log !== message.log)) {
        throw new RelightError("RESET", "The playground was reset while its log was followed.");
      }
      log = message.log;
    } else if (message.is === "event") {
      yield { event: message.event as E, cursor: message.event.sequence };
    }
  }
}
