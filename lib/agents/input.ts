/** What may be sent about agents. */
import { z } from "zod";
import { filled, parse, text } from "../validate";

const MAX_ID = 200;

/** Path segments of letters, digits and a little punctuation: a path means one thing in every place it is written. */
const agentId = text
  .max(MAX_ID, `expected at most ${MAX_ID} characters`)
  .regex(
    /^(?!\.{1,2}(\/|$))[\p{L}\p{M}\p{N}@._~+-]+(\/(?!\.{1,2}(\/|$))[\p{L}\p{M}\p{N}@._~+-]+)*$/u,
    "expected segments of letters, digits and @._~+- between single slashes, none of them . or ..",
  );

const count = z.int().positive().max(1_000_000);

export const definition = z.strictObject({
  model: filled.max(200),
  instructions: text,
  tools: z.array(filled.max(100)).max(100),
  limits: z.strictObject({ maxTurns: count.optional(), maxTokens: count.optional() }).optional(),
});

export const ask = z.strictObject({
  text: filled,
  id: z
    .string()
    .regex(/^[\w.:-]{1,100}$/, "expected 1 to 100 letters, digits and _.:-")
    .optional(),
});

export const reason = z.strictObject({ reason: filled });

export const interruptStatus = z.enum(["open", "approved", "denied", "closed"]);

export const scope = z.strictObject({
  principal: filled.max(200),
  roles: z.array(z.enum(["owner", "approver", "viewer"])).min(1),
  resources: z.array(filled.max(200)).max(100),
});

/** @throws INVALID */
export const parseAgentId = (id: string): string => parse(agentId, id, "agent id");
