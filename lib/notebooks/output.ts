/** What cells show, as data: it crosses from a kernel to a page, outlives a reload, and has a plain form for terminals. */

import type { FromKernel } from "./kernel";

export type Output =
  | { kind: "text"; text: string }
  /** Printed with `console`. */
  | { kind: "log"; text: string }
  | { kind: "json"; text: string }
  | { kind: "table"; name: string; columns: string[]; rows: string[][]; total: number }
  | { kind: "diagram"; source: string }
  /** Spent once one is pressed, or when what they wait for happens elsewhere: `why`. `id` is unique in its kernel. */
  | { kind: "buttons"; id: string; labels: string[]; pressed: string | null; why: string | null }
  /** Rendered again and again. */
  | { kind: "frame"; id: string; content: Output[] }
  /** An agent's log, live. */
  | { kind: "events"; agent: string }
  | { kind: "source"; name: string; code: string; runs: boolean }
  | { kind: "error"; code: string | null; message: string; line: number | null };

/** Of a source that is not what runs. */
export const CHANGED = " (changed since it was built: what runs is older)";

/** An output for terminals. */
export function plain(output: Output): string {
  switch (output.kind) {
    case "text":
    case "log":
    case "json":
      return output.text;
    case "table":
      return [`${output.name} (${output.total})`, ...columns([output.columns, ...output.rows])].join("\n");
    case "diagram":
      return output.source;
    case "buttons":
      return output.labels
        .map((label) => (label === output.pressed ? `[${label}: pressed]` : `[${label}]`))
        .join(" ")
        .concat(output.why === null ? "" : ` ${output.why}`);
    case "frame":
      return output.content.map(plain).join("\n");
    case "events":
      return `The events of ${output.agent}, live on the page.`;
    case "source":
      return `${output.name}${output.runs ? "" : CHANGED}\n${output.code}`;
    case "error": {
      const where = output.line === null ? "" : ` (line ${output.line})`;
      return `${output.code ? `${output.code}: ` : ""}${output.message}${where}`;
    }
  }
}

function columns(rows: string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

/** A cell's outputs after what its kernel told. */
export function take(outputs: Output[], message: FromKernel): Output[] {
  switch (message.tells) {
    case "output":
      return [...outputs, message.output];
    case "frame":
      return outputs.map((output) =>
        output.kind === "frame" && output.id === message.frame
          ? { ...output, content: message.content }
          : output,
      );
    case "pressed":
      return outputs.map((output) =>
        output.kind === "buttons" && output.id === message.buttons
          ? { ...output, pressed: message.label }
          : output,
      );
    case "spent":
      return outputs.map((output) =>
        output.kind === "buttons" && output.id === message.buttons ? { ...output, why: message.why } : output,
      );
    default:
      return outputs;
  }
}
