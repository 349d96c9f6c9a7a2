import { expect } from "vitest";
import { isRelightError, type RelightError } from "../../lib/errors";

/** The error that `work` is refused with. Anything else that it throws, or no refusal at all, fails the test. */
export function refusal(work: () => unknown): RelightError {
  try {
    work();
  } catch (error) {
    if (isRelightError(error)) return error;
    throw error;
  }
  return expect.fail("expected a refusal, came none");
}
