/** What people and programs may send, checked in one place for HTTP and the library alike. */
import { type ZodType, z } from "zod";
import { RelightError } from "../errors";

const MAX_TEXT_BYTES = 256 * 1024;
const MAX_ID = 200;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Text that is stored and comes back as it went in: NUL and lone surrogates would not. */
const text = z
  .string()
  .refine((value) => !/[\0\p{Cs}]/u.test(value), "expected text without NUL and lone surrogates");

const filled = text.refine((value) => value.trim() !== "", "expected some text, came none");

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

/** @throws INVALID, with every reason; TOO_LARGE if a text is over the limit */
export function parse<T>(schema: ZodType<T>, input: unknown, what: string): T {
  for (const [name, value] of Object.entries(input ?? {})) tooLarge(name, value);
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const reasons = parsed.error.issues.map(
    ({ path, message }) => `${path.join(".") || what}: ${lower(message)}`,
  );
  throw new RelightError("INVALID", `${reasons.join("; ")}.`, { issues: reasons });
}

/** @throws INVALID */
export const parseAgentId = (id: string): string => parse(agentId, id, "agent id");

function tooLarge(name: string, value: unknown): void {
  if (typeof value !== "string" || bytesOf(value) <= MAX_TEXT_BYTES) return;
  throw new RelightError(
    "TOO_LARGE",
    `${name}: expected at most ${MAX_TEXT_BYTES} bytes; came ${bytesOf(value)}.`,
  );
}

const lower = (message: string): string =>
  message.replace(/^Invalid input: /, "").replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
