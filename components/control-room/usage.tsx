import type { Run } from "@/lib/agents/state";
import { costOf, PRICES_OF } from "@/lib/models/prices";

/** What a run has used, and what that costs. Nothing of a model that costs nothing. */
export function UsageOf({ run: { usage, definition } }: { run: Run }) {
  const { inputTokens, outputTokens } = usage;
  if (inputTokens + outputTokens === 0) return null;
  const cost = costOf(definition.model, usage);
  return (
    <div className="text-[13px] text-soft">
      {inputTokens.toLocaleString("en")} tokens in, {outputTokens.toLocaleString("en")} out
      {cost === null ? "" : `; $${cost.toFixed(4)} at the prices of ${PRICES_OF}`}
    </div>
  );
}
