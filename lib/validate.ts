/** What people and programs may send: how it is checked, and how a refusal is said. For HTTP and the library alike. */
import { type ZodType, z } from "zod";
import { RelightError } from "./errors";

const MAX_TEXT_BYTES = 256 * 1024;

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Text that is stored and comes back as it went in: NUL and lone surrogates would not. */
export const text = z
  .string()
  .refine((value) => !/[\0\p{Cs}]/u.test(value), "expected text without NUL and lone surrogates");

export const filled = text.refine((value) => value.trim() !== "", "expected some text, came none");

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

function tooLarge(name: string, value: unknown): void {
  if (typeof value !== "string" || bytesOf(value) <= MAX_TEXT_BYTES) return;
  throw new RelightError(
    "TOO_LARGE",
    `${name}: expected at most ${MAX_TEXT_BYTES} bytes; came ${bytesOf(value)}.`,
  );
}

const lower = (message: string): string =>
  message.replace(/^Invalid input: /, "").replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase());
