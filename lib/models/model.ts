import type { Failure, Usage } from "../agents/events";
import type { Message } from "../agents/state";

/** What a model sees of a tool. */
interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema. */
  schema: Record<string, unknown>;
}

interface ModelRequest {
  instructions: string;
  messages: Message[];
  tools: ToolDescription[];
}

/** A model's turn: text and calls in the order in which it gave them. */
export interface ModelTurn {
  parts: (
    | { type: "text"; content: string }
    | { type: "call"; modelId?: string; tool: string; input: unknown }
  )[];
  usage: Usage;
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
