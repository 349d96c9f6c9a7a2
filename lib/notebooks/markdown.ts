/** A notebook with what its cells showed, as Markdown: to paste into an issue or a handout. */
import { plain } from "./output";
import type { Block } from "./parse";
import type { Session } from "./session";

/**
 * Code is as it stands in the editor.
 * @param secrets what must not be in it, whatever a cell showed
 */
export function toMarkdown(
  title: string,
  blocks: readonly Block[],
  { cells }: Session,
  secrets: readonly string[] = [],
): string {
  const parts = blocks.flatMap((block) => {
    if (block.kind === "prose") return [block.markdown];
    if (block.kind === "diagram") return [fenced("mermaid", block.source)];
    const cell = cells[block.id];
    const shown = (cell?.outputs ?? []).map(plain).join("\n");
    const code = fenced("ts", cell?.code ?? block.code);
    return shown === "" ? [code] : [code, fenced("text", shown)];
  });
  const text = [`# ${title}`, ...parts].join("\n\n").concat("\n");
  return withoutOwnKeys(secrets.reduce((masked, secret) => masked.replaceAll(secret, "(a key)"), text));
}

/** Without record keys that a playground made for itself, this one or another. */
export const withoutOwnKeys = (text: string): string => text.replace(/\brk_[\w-]{20,}/g, "(a key)");

/** With a fence that is longer than any in the text. */
function fenced(language: string, text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}
