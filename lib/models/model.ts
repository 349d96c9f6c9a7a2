import type { Failure, Usage } from "../agents/events";
import type { Message } from "../agents/state";

/** What a model sees of a tool. */
interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema. */
  schema: Record<string, unknown>;
}

/** A key to a model's API, and where it came from: the one may be named, the other never. */
export interface Key {
  value: string;
  source: "environment" | "panel";
}

/** By provider. */
export type Keys = Readonly<Partial<Record<"anthropic", Key>>>;

export interface ModelRequest {
  /** Without its provider. */
  model: string;
  instructions: string;
  messages: Message[];
  /** How many of the messages are of earlier runs: what only a turn under way needs back is not sent for those. */
  earlier: number;
  tools: ToolDescription[];
  keys: Keys;
  /** Told of text as it comes. What counts is the turn, once it is whole. */
  speak(text: string): void;
  /** Told that it is tried again after so many milliseconds: what was spoken is void. */
  wait(why: string, ms: number): void;
}

/** Why a model stopped, where that is not that it was done: `max_tokens`, `pause_turn`, `refusal`, … */
type Stop = string;

export type TurnPart =
  | { type: "text"; content: string }
  /** `error`: why it cannot be run, whatever the tools say; its input is then `{}`. */
  | { type: "call"; modelId?: string; tool: string; input: unknown; error?: Failure }
  /** What the provider wants back unchanged, such as thinking. */
  | { type: "provider"; content: unknown };

/** A model's turn: text and calls in the order in which it gave them. */
export interface ModelTurn {
  parts: TurnPart[];
  usage: Usage;
  stop?: Stop;
}

export interface Model {
  /** @throws ModelError if there is no turn to be had */
  ask(request: ModelRequest): Promise<ModelTurn>;
}

/** The run fails with this. */
export class ModelError extends Error {
  override readonly name = "ModelError";

  constructor(
    readonly failure: Failure,
    options?: ErrorOptions,
  ) {
    super(failure.message, options);
  }
}
