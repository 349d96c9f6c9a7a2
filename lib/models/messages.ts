/** A conversation as the Messages API takes it: roles in turn, nothing empty, each use answered in the next message. Pure. */
import type { ContentBlockParam, MessageParam } from "@anthropic-ai/sdk/resources/messages";
import type { Message } from "../agents/state";
import type { ModelRequest } from "./model";

export function messagesOf({
  messages,
  earlier,
}: Pick<ModelRequest, "messages" | "earlier">): MessageParam[] {
  const ids = modelIds(messages);
  const taken: { role: Message["role"]; content: ContentBlockParam[] }[] = [];
  messages.forEach((message, index) => {
    const content = blocksOf(message, ids, index < earlier);
    const last = taken.at(-1);
    // An ask after a run that ended without a turn, say.
    if (last?.role === message.role) last.content.push(...content);
    else if (content.length > 0) taken.push({ role: message.role, content });
  });
  const last = taken.at(-1);
  const end = last?.content.at(-1);
  // A turn that goes on where it paused: the API takes no blanks there.
  if (last?.role === "assistant" && end?.type === "text")
    last.content.splice(-1, 1, { ...end, text: end.text.trimEnd() });
  return wellFormed(taken) as MessageParam[];
}

/** What the API calls each call: its own id, unless it was none that can be sent back, or one that it gave before. */
function modelIds(messages: Message[]): Map<string, string> {
  const uses = messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool_use" ? [part] : [])),
  );
  const taken = new Set<string>();
  return new Map(
    uses.map(({ call, modelId = call }) => {
      const id = taken.has(modelId) ? call : modelId;
      taken.add(id);
      return [call, id];
    }),
  );
}

/** A tool's name as the API takes one: a model may ask for what has no such name. */
const nameOf = (tool: string): string => tool.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 128) || "unnamed";

/** Half a character (a tool may cut its text anywhere) makes the API refuse the whole conversation. */
function wellFormed(value: unknown): unknown {
  if (typeof value === "string") return value.replace(/\p{Cs}/gu, "\ufffd");
  if (Array.isArray(value)) return value.map(wellFormed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map((entry) => entry.map(wellFormed)));
}

function blocksOf({ parts }: Message, ids: Map<string, string>, isEarlier: boolean): ContentBlockParam[] {
  return parts.flatMap((part): ContentBlockParam[] => {
    switch (part.type) {
      case "text":
        return part.content.trim() === "" ? [] : [{ type: "text", text: part.content }];
      case "tool_use":
        return [
          {
            type: "tool_use",
            id: ids.get(part.call) ?? part.call,
            name: nameOf(part.tool),
            input: part.content,
          },
        ];
      case "tool_result": {
        const content = part.content.trim() === "" ? "(nothing)" : part.content;
        const failed = part.failed ? { is_error: true } : {};
        return [{ type: "tool_result", tool_use_id: ids.get(part.call) ?? part.call, content, ...failed }];
      }
      default:
        // What only a turn under way needs back.
        return isEarlier ? [] : [part.content as ContentBlockParam];
    }
  });
}
