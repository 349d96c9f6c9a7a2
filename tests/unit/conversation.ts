import type { Message } from "../../lib/agents/state";

/**
 * What a model's API would reject in a conversation; null if nothing. Each tool use is answered by one result, in the very
 * next message, as soon as there is one; no result answers anything else.
 */
export function problemOf(messages: readonly Message[]): string | null {
  const ids = new Set<string>();
  for (const [at, { role, parts }] of messages.entries()) {
    const uses = parts.flatMap((part) => (part.type === "tool_use" ? [part.call] : []));
    const results = parts.flatMap((part) => (part.type === "tool_result" ? [part.call] : []));
    const next = messages[at + 1];
    const answers = next?.parts.flatMap((part) => (part.type === "tool_result" ? [part.call] : []));

    if (at === 0 && role !== "user") return "it does not begin with the user";
    if (uses.length > 0 && role !== "assistant") return `message ${at}: the user uses a tool`;
    if (results.length > 0 && role !== "user") return `message ${at}: the assistant gives a result`;
    if (results.length > 0 && messages[at - 1]?.role !== "assistant") return `message ${at}: answers nothing`;
    for (const id of uses) {
      if (ids.has(id)) return `message ${at}: ${id} is used twice`;
      ids.add(id);
    }
    if (next && role === "assistant" && next.role === "assistant") return `message ${at}: two turns in a row`;
    if (answers && [...answers].sort().join() !== [...uses].sort().join())
      return `message ${at}: uses ${uses}, and the next message answers ${answers}`;
  }
  return null;
}
