import { z } from "zod";

export const runtimeSettings = z.strictObject({
  /** Milliseconds. */
  discoveryIntervalMs: z.int().min(10).max(3_600_000).optional(),
  /** Milliseconds. */
  toolMs: z.number().min(0).max(600_000).optional(),
});
