/** What may be sent about records. */
import { z } from "zod";
import { RelightError } from "../errors";
import { bytesOf, text } from "../validate";
import type { Document } from "./events";

const MAX_BYTES = 256 * 1024;
const MAX_DEPTH = 100;
const MAX_EVIDENCE = 16 * 1024;

/** Any JSON value. */
const value = z.unknown().refine((given) => given !== undefined, "expected a JSON value, came none");
const evidence = text.max(MAX_EVIDENCE, `expected at most ${MAX_EVIDENCE} characters`).optional();
const fence = z.int().positive();
/** The sender's, so that a request that is sent again is one request. */
const key = z.string().regex(/^[\x21-\x7e]{1,200}$/, "expected 1 to 200 printable characters");

export const id = z
  .string()
  .regex(
    /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}$/,
    "expected 1 to 100 letters, digits and ._-, neither . nor ..",
  );

export const create = z.strictObject({ fields: z.record(z.string(), value).optional() });
export const write = z.strictObject({
  value,
  evidence,
  ifVersion: z.int().nonnegative().optional(),
  fence: fence.optional(),
});
export const append = z.strictObject({
  entry: value,
  evidence,
  key: key.optional(),
});
export const claim = z.strictObject({
  /** Seconds; whole milliseconds of them. */
  leaseSeconds: z
    .number()
    .gt(0)
    .max(3600)
    .refine((seconds) => Math.round(seconds * 1000) >= 1, "expected at least a millisecond"),
  fence: fence.optional(),
  key: key.optional(),
});
export const fenced = z.strictObject({ fence });
export const checkpoint = z.strictObject({
  document: z.unknown(),
  field: z.string(),
  fence,
  /** The record's version that its author had read: what others wrote after it is news to whoever loads this. */
  readVersion: z.int().nonnegative().optional(),
});

/**
 * Checks a JSON value that is kept as it came: nothing is ever cut.
 * @throws INVALID if it is nested too deep; TOO_LARGE
 */
export function keepable(what: string, given: unknown): void {
  if (depthOf(given) > MAX_DEPTH) {
    throw new RelightError("INVALID", `${what}: expected at most ${MAX_DEPTH} levels; came more.`);
  }
  const bytes = bytesOf(JSON.stringify(given));
  if (bytes > MAX_BYTES) {
    throw new RelightError("TOO_LARGE", `${what}: expected at most ${MAX_BYTES} bytes; came ${bytes}.`);
  }
}

/** @throws INVALID unless it is an object */
export function documentOf(given: unknown): Document {
  if (given !== null && typeof given === "object" && !Array.isArray(given)) return given as Document;
  throw new RelightError(
    "INVALID",
    `document: expected an object; came ${Array.isArray(given) ? "a list" : given === null ? "null" : typeof given}.`,
  );
}

/** Level by level, so that no depth overflows a stack; a little more than the limit is enough to know. */
function depthOf(given: unknown): number {
  let level: unknown[] = [given];
  for (let depth = 0; ; depth++) {
    level = level.flatMap((each) => (each !== null && typeof each === "object" ? Object.values(each) : []));
    if (level.length === 0 || depth > MAX_DEPTH) return depth;
  }
}
