import { expect, test } from "vitest";
import { costOf, PRICES_OF } from "../../lib/models/prices";

const million = { inputTokens: 1_000_000, outputTokens: 1_000_000 };

test.each([
  ["claude-haiku-4-5", 6],
  ["claude-haiku-4-5-20251001", 6],
  ["anthropic:claude-haiku-4-5", 6],
  ["claude-sonnet-4-5-20250929", 18],
  ["claude-sonnet-4-20250514", 18],
  ["claude-opus-4-5", 30],
  ["claude-opus-4-1-20250805", 90],
  ["claude-opus-4-20250514", 90],
  ["claude-3-5-haiku-latest", 4.8],
])("a million tokens in and out of %s", (model, dollars) => {
  expect(costOf(model, million)).toBeCloseTo(dollars, 10);
});

// A wrong price is worse than none.
test.each([
  "claude-opus-4-7",
  "claude-sonnet-4-9-20270101",
  "claude-haiku-4-50",
  "claude-haiku-4-5-turbo",
  "claude-haiku",
  "claudexhaiku-4-5",
  "scripted:shop",
  "",
  "constructor",
])("nobody knows the price of %s", (model) => {
  expect(costOf(model, million)).toBeNull();
});

test("input and output cost what each costs; nothing costs nothing", () => {
  expect(costOf("claude-haiku-4-5", { inputTokens: 2000, outputTokens: 0 })).toBeCloseTo(0.002, 10);
  expect(costOf("claude-haiku-4-5", { inputTokens: 0, outputTokens: 2000 })).toBeCloseTo(0.01, 10);
  expect(costOf("claude-haiku-4-5", { inputTokens: 0, outputTokens: 0 })).toBe(0);
});

test("the prices say of which day they are", () => {
  expect(PRICES_OF).toMatch(/^\d{4}-\d\d-\d\d$/);
});
