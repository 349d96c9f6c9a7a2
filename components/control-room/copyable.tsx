import { useState } from "react";

/** A command, to be copied. */
export function Copyable({ text }: { text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <button
      type="button"
      className="rounded text-left font-mono text-[13.5px] text-soft hover:text-ink"
      aria-label={copied ? `Copied: ${text}` : `Copy the command ${text}`}
      onClick={() => void copy().catch(() => setCopied(false))}
      onBlur={() => setCopied(false)}
    >
      {text}{" "}
      <span aria-hidden className="font-sans underline underline-offset-2">
        {copied ? "copied" : "copy"}
      </span>
    </button>
  );
}
