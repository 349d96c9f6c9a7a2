/**
 * Every error that a caller can meet, by code: the HTTP status it travels with, and what the caller does next.
 * Across bundles of one process a class has several copies, so compare `error.code`, never `instanceof`.
 */
export const codes = {
  INVALID: { status: 400, next: "Mend the request; the same one will be refused again." },
  UNAUTHENTICATED: { status: 401, next: "Send a key." },
  FORBIDDEN: { status: 403, next: "Ask somebody whose scope covers it." },
  NOT_FOUND: { status: 404, next: "Check the id." },
  METHOD_NOT_ALLOWED: { status: 405, next: "Use a method that the path has." },
  NOT_RUNNING: { status: 409, next: "Start it first." },
  ALREADY_RUNNING: { status: 409, next: "Nothing to do, or stop it first." },
  ALREADY_DECIDED: { status: 409, next: "Read the decision that came first." },
  NOT_FAILED: { status: 409, next: "Only a failed run can be retried." },
  CONFLICT: { status: 409, next: "Read what is there, then decide again." },
  CLOSED: { status: 409, next: "Its run has ended; there is nothing left to decide." },
  HELD: { status: 409, next: "Wait for the holder to release it or to lapse." },
  LAPSED: { status: 409, next: "Claim again." },
  SUPERSEDED: { status: 409, next: "Stop: somebody else owns it now." },
  BEHIND: { status: 409, next: "Read what came meanwhile, then decide again." },
  RESET: { status: 409, next: "The log was reset; start from its new head." },
  TOO_LARGE: { status: 413, next: "Send less; nothing is cut." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, next: "Send application/json." },
  INVALID_CHECKPOINT: { status: 422, next: "Add the sections that are missing." },
  INTERNAL: { status: 500, next: "This is a bug; the server's log has the cause." },
  UNAVAILABLE: { status: 503, next: "Try again." },
} as const;

export type Code = keyof typeof codes;

/** The one error class. `message` is one line for a person: what was expected, and what came. */
export class RelightError extends Error {
  override readonly name = "RelightError";

  constructor(
    readonly code: Code,
    message: string,
    readonly details: Record<string, unknown> = {},
  ) {
    // One line, whatever was quoted in it.
    super(message.replace(/[\r\n\u2028\u2029]+/g, " "));
  }
}

/** Is this a {@link RelightError} (of any copy of the class), and of this code where one is given? */
export function isRelightError(error: unknown, code?: Code): error is RelightError {
  if (!(error instanceof Error) || error.name !== "RelightError") return false;
  return code === undefined || (error as RelightError).code === code;
}

/** An error in one line, with its code, for terminals. */
export function lineOf(error: unknown): string {
  return `${isRelightError(error) ? error.code : "INTERNAL"}: ${messageOf(error)}`;
}

/** The first line of whatever was thrown, for people. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n", 1)[0] ?? "";
}
