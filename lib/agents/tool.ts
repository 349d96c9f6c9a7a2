import { type ZodType, z } from "zod";

/** What a tool is told about the call that it serves. */
export interface ToolContext {
  agent: string;
  run: string;
  /** Unique, and the same on every attempt. */
  call: string;
  /** 1, 2, … */
  attempt: number;
  /** To hand to whatever honours one: the call's id, so the same on every attempt. */
  idempotencyKey: string;
  /** Aborted when the attempt runs past its time. */
  signal: AbortSignal;
}

export interface ToolSpec<Input> {
  name: string;
  /** For the model. */
  description: string;
  schema: ZodType<Input>;
  annotations?: {
    /** Informs people. Recovery does not look at it. */
    readOnly?: boolean;
    /** Safe to run again after a crash in the middle. Trusted: false unless said. */
    idempotent?: boolean;
  };
  /** Milliseconds that one attempt may take; 30,000 unless given. */
  timeoutMs?: number;
  /**
   * Does the work. A string is what the model reads; anything else is sent to it as JSON.
   *
   * What a throw means: an idempotent tool that throws has failed. One that is not has failed only if it throws
   * {@link ToolError}; any other throw leaves open whether the effect happened, and a person is asked.
   */
  run(input: Input, context: ToolContext): unknown;
}

/** A tool, ready to be run; its input type is checked where it is defined. */
export interface Tool {
  name: string;
  description: string;
  readOnly: boolean;
  idempotent: boolean;
  timeoutMs: number;
  /** JSON Schema of the input. */
  schema: Record<string, unknown>;
  parse(input: unknown): { ok: true; input: unknown } | { ok: false; message: string };
  run(input: unknown, context: ToolContext): unknown;
}

/**
 * Defines a tool.
 * @example
 * defineTool({
 *   name: "check_stock",
 *   description: "Says how many of a product the warehouse has.",
 *   schema: z.object({ sku: z.string() }),
 *   annotations: { readOnly: true, idempotent: true },
 *   run: ({ sku }) => `${sku}: 3 in stock.`,
 * });
 */
export function defineTool<Input>(spec: ToolSpec<Input>): Tool {
  return {
    name: spec.name,
    description: spec.description,
    readOnly: spec.annotations?.readOnly ?? false,
    idempotent: spec.annotations?.idempotent ?? false,
    timeoutMs: spec.timeoutMs ?? 30_000,
    schema: z.toJSONSchema(spec.schema, { io: "input" }),
    parse(input) {
      const parsed = spec.schema.safeParse(input);
      return parsed.success
        ? { ok: true, input: parsed.data }
        : { ok: false, message: z.prettifyError(parsed.error).replaceAll("\n", " ") };
    },
    run: (input, context) => spec.run(input as Input, context),
  };
}

/**
 * Thrown by a tool to say: it did not happen. The model reads the message. Recognised by name, since a tool may come
 * from another bundle than the process that runs it.
 */
export class ToolError extends Error {
  override readonly name = "ToolError";
}

export const saysItDidNotHappen = (error: unknown): error is ToolError =>
  error instanceof Error && error.name === "ToolError";

/** A module of tools, registered with a runtime under a name. Each agent's process imports it for itself. */
export interface Capability {
  /** @param options what the runtime was given beside the module, as JSON */
  tools(options: Record<string, unknown>): Tool[];
}

/** How a runtime is told of a capability: where its module is, and what to hand to it. */
export interface CapabilityRef {
  /** A `file:` URL. */
  module: string;
  options?: Record<string, unknown>;
}
