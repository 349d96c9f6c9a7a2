import type { ButtonHTMLAttributes } from "react";

type Tone = "plain" | "accent" | "death" | "doubt";

const tones: Record<Tone, string> = {
  plain: "border-line text-ink",
  accent: "border-accent text-accent",
  death: "border-death text-death",
  doubt: "border-doubt-line text-ink",
};

export function Button({
  tone = "plain",
  ...rest
}: ButtonHTMLAttributes<HTMLButtonElement> & { tone?: Tone }) {
  return (
    <button
      type="button"
      className={`min-h-8 rounded-md border bg-sheet px-3 py-1 text-[13.5px] font-medium hover:bg-sunk disabled:opacity-50 ${tones[tone]}`}
      {...rest}
    />
  );
}
