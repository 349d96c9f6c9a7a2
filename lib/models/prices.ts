/** What Claude costs, in dollars for a million tokens, as published on {@link PRICES_OF}. Pure. */
import type { Usage } from "../agents/events";

export const PRICES_OF = "2025-11-24";

/** By the beginning of the model's name: the longest that fits counts. */
const prices: Record<string, { input: number; output: number }> = {
  "claude-haiku-4-5": { input: 1, output: 5 },
  "claude-sonnet-4-5": { input: 3, output: 15 },
  "claude-sonnet-4": { input: 3, output: 15 },
  "claude-opus-4-5": { input: 5, output: 25 },
  "claude-opus-4-1": { input: 15, output: 75 },
  "claude-opus-4-20250514": { input: 15, output: 75 },
  "claude-3-5-haiku": { input: 0.8, output: 4 },
};

/** Dollars; null for a model whose price is not known. */
export function costOf(model: string, { inputTokens, outputTokens }: Usage): number | null {
  const name = model.replace(/^anthropic:/, "");
  const known = Object.keys(prices)
    // `claude-opus-4` must not price a `claude-opus-4-7` that nobody has heard of: after the name comes a date, or nothing.
    .filter((prefix) => name === prefix || new RegExp(`^${prefix}-(\\d{8}|latest)$`).test(name))
    .sort((a, b) => b.length - a.length)[0];
  const price = known === undefined ? undefined : prices[known];
  return price ? (inputTokens * price.input + outputTokens * price.output) / 1_000_000 : null;
}
