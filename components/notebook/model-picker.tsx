import { useId, useState } from "react";
import { CLAUDE, SCRIPTED } from "@/lib/client/model-names";
import { useSecret } from "../control-room/live";

const MODELS = [
  [SCRIPTED, "scripted, no key needed"],
  [CLAUDE, "Claude Haiku 4.5"],
  ["anthropic:claude-haiku-5-5", "Claude Haiku 5.5"],
  ["anthropic:claude-sonnet-5-5", "Claude Sonnet 5.5"],
  ["anthropic:claude-opus-5-5", "Claude Opus 5.5"],
] as const;

/** The model that cells read as `relight.model`: Claude where there is a key, unless the reader chose. */
export function useModel(): [model: string, choose: (model: string) => void] {
  const present = useSecret()?.present ?? false;
  const [chosen, choose] = useState<string | null>(null);
  return [chosen ?? (present ? CLAUDE : SCRIPTED), choose];
}

export function ModelPicker({ model, choose }: { model: string; choose(model: string): void }) {
  const id = useId();
  return (
    <span className="flex items-center gap-2 text-[13px]">
      <label htmlFor={id} className="font-mono text-soft">
        relight.model
      </label>
      <select
        id={id}
        value={model}
        onChange={({ target }) => choose(target.value)}
        className="min-h-8 max-w-full rounded-md border border-line bg-sheet px-2 text-ink"
      >
        {MODELS.map(([name, label]) => (
          <option key={name} value={name}>
            {label}
          </option>
        ))}
      </select>
    </span>
  );
}
