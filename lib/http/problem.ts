import { type Code, codes, isRelightError, RelightError } from "../errors";

/** An error as `application/problem+json` (RFC 9457), with the code and its details beside. */
export function problem(error: RelightError): {
  status: number;
  headers: Record<string, string>;
  body: string;
} {
  const { status, next } = codes[error.code];
  const { code, message: detail, details } = error;
  return {
    status,
    headers: {
      "content-type": "application/problem+json",
      "cache-control": "no-store",
      ...(code === "UNAVAILABLE" && { "retry-after": "1" }),
    },
    body: JSON.stringify({
      ...details,
      type: "about:blank",
      title: titleOf(code),
      status,
      code,
      detail,
      next,
    }),
  };
}

/** `NOT_FOUND` → `Not found` */
const titleOf = (code: Code): string => code.charAt(0) + code.slice(1).toLowerCase().replaceAll("_", " ");

/** What a caller is told of an error. One that is not ours is a bug: its cause goes to the server's log alone. */
export function publicError(error: unknown): RelightError {
  if (isRelightError(error)) return error;
  // A caller who hung up in the middle of a request has no use for an answer, and is no bug.
  if ((error as NodeJS.ErrnoException).code !== "ECONNRESET") console.error(error);
  return new RelightError("INTERNAL", "Something went wrong in the server; its log has the cause.");
}
