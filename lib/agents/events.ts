import type { Draft, Envelope } from "../log/event";

/** What an agent is told to be. A run keeps the definition that it started with. */
export interface Definition {
  /** `provider:name` */
  model: string;
  instructions: string;
  /** Names of registered capabilities. */
  tools: string[];
  limits?: { maxTurns?: number; maxTokens?: number };
}

/** What a person said. The sender chooses the id, so that a repeated request is one ask. */
export interface Ask {
  id: string;
  text: string;
}

/** A piece of a message. `content` is text, but for a tool use, where it is the input; `modelId` is the model's own. */
export type Part =
  | { type: "text"; content: string }
  | { type: "tool_use"; call: string; modelId?: string; tool: string; content: unknown }
  | { type: "tool_result"; call: string; content: string; failed: boolean }
  /** What the model's provider wants back unchanged. */
  | { type: "provider"; content: unknown };

export interface Usage {
  inputTokens: number;
  outputTokens: number;
}

/** A failure as the log keeps it and the model reads it. */
export interface Failure {
  code: string;
  message: string;
}

export interface TurnCall {
  /** Ours, unique in the playground; the idempotency key of every attempt. */
  id: string;
  tool: string;
  input: unknown;
  /** As promised when the turn was saved. */
  idempotent: boolean;
  /** Why it cannot be run, whatever the tools say: it was cut off, or its arguments were no JSON object. */
  error?: Failure;
}

export type Decision = "approved" | "denied";

type CallRef = { run: string; call: string; tool: { name: string }; attempt: number };

/** Every event of an agent, by type (without the prefix `relight.`). */
export interface AgentEvents {
  "agent.defined": { definition: Definition; by: string };
  "agent.started": { pid: number; fence: number; tookOverFrom?: { pid: number; fence: number } };
  "agent.crashed": {
    pid: number;
    fence: number;
    signal: string | null;
    exitCode: number | null;
    /** What the process said before it ended itself. */
    why?: string;
  };
  "agent.stopped": { pid: number; fence: number; why: "idle" | "runtime stopped" };
  "ask.received": { message: Ask; by: string };
  "run.started": { run: string; message: string; definition: Definition };
  /** `stop`: why the model stopped, where that is not that it was done. */
  "turn.saved": { run: string; turn: number; parts: Part[]; calls: TurnCall[]; usage: Usage; stop?: string };
  "call.started": CallRef & { input: unknown; fence: number; pid: number };
  "call.completed": CallRef & { result: string };
  "call.failed": CallRef & { error: Failure };
  "interrupt.opened": CallRef & { interrupt: string; kind: "in_doubt" };
  "interrupt.decided": {
    interrupt: string;
    call: string;
    decision: Decision;
    reason?: string;
    by: string;
  };
  "interrupt.closed": { interrupt: string; call: string };
  "run.interrupted": { run: string; interrupts: string[] };
  "run.completed": { run: string; answer: string; usage: Usage; stop?: string };
  "run.failed": { run: string; error: Failure };
  "run.retried": { run: string; by: string };
}

interface RuntimeEvents {
  "runtime.started": { runtime: string; pid: number; tookOverFrom?: { pid: number } };
  "runtime.stopped": { runtime: string; pid: number };
}

type Events<Map> = { [T in keyof Map & string]: Envelope<`relight.${T}`, Map[T]> }[keyof Map & string];

export type AgentEvent = Events<AgentEvents>;
export type AgentDraft = Draft<AgentEvent>;
export type RuntimeEvent = Events<RuntimeEvents>;

/** The events after which a run has ended, or waits for a person. */
const RUN_ENDS = ["relight.run.completed", "relight.run.interrupted", "relight.run.failed"] as const;
export type RunEnd = Extract<AgentEvent, { type: (typeof RUN_ENDS)[number] }>;

export function isRunEnd(event: Envelope): event is RunEnd {
  return (RUN_ENDS as readonly string[]).includes(event.type);
}

/** An agent's event, ready to be written. */
export function draft<T extends keyof AgentEvents>(agent: string, type: T, data: AgentEvents[T]): AgentDraft {
  return { type: `relight.${type}`, subject: agent, data } as AgentDraft;
}
