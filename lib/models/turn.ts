/** What a message of the Messages API says, made valid: whatever is saved must be able to be sent back. Pure. */
import type { Failure } from "../agents/events";
import type { Block } from "./assembly";
import type { TurnPart } from "./model";

/** Blocks that a text or a call is made of; whatever else comes is kept as it is. */
export function partsOf(blocks: readonly Block[], stop: string | null): TurnPart[] {
  const ids = blocks.flatMap(({ content }) => (content.type === "tool_use" ? [String(content.id)] : []));
  const seen = new Set<string>();
  return blocks.flatMap((block, index): TurnPart[] => {
    const { content } = block;
    if (content.type === "text") return textOf(String(content.text ?? ""));
    if (content.type !== "tool_use")
      return [{ type: "provider", content: { ...content, ...streamed(block) } }];
    // It was stopped in the middle of something: nobody is to do what it had asked for.
    if (stop === "refusal") return [];
    const [id, tool] = [String(content.id), String(content.name)];
    const twice = ids.indexOf(id) !== ids.lastIndexOf(id);
    const cut = stop === "max_tokens" && index === blocks.length - 1;
    const { input, error } = cut ? CUT : twice ? twin(id) : inputOf(block);
    // The first of two keeps the id; the other gets one of ours.
    const modelId = /^[a-zA-Z0-9_-]+$/.test(id) && !seen.has(id) ? { modelId: id } : {};
    seen.add(id);
    return [{ type: "call", tool, input, ...modelId, ...(error && { error }) }];
  });
}

/** The arguments of a call that the provider answers itself. */
function streamed({ content, json }: Block): { input?: unknown } {
  if (json === "" || !("input" in content)) return {};
  try {
    return { input: JSON.parse(json) };
  } catch {
    return {};
  }
}

/** The API takes no empty text back. */
const textOf = (text: string): TurnPart[] => (text.trim() === "" ? [] : [{ type: "text", content: text }]);

type Checked = { input: unknown; error?: Failure };

const CUT: Checked = {
  input: {},
  error: {
    code: "CUT",
    message: "The call was cut off at the most tokens of a turn. It did not run; ask for less.",
  },
};

const twin = (id: string): Checked => ({
  input: {},
  error: {
    code: "INVALID_ARGUMENTS",
    message: `Two calls of this turn had one id, ${id}. Neither ran; give each its own.`,
  },
});

function inputOf({ content, json }: Block): Checked {
  // Nothing streamed: what the block began with is all of it.
  const text = json === "" ? JSON.stringify(content.input ?? {}) : json;
  try {
    const input: unknown = JSON.parse(text);
    if (input !== null && typeof input === "object" && !Array.isArray(input)) return { input };
  } catch {
    // Said below.
  }
  const came = text.length > 200 ? `${text.slice(0, 200).replace(/[\ud800-\udbff]$/, "")}…` : text;
  return {
    input: {},
    error: {
      code: "INVALID_ARGUMENTS",
      message: `${String(content.name)}: expected a JSON object as arguments; came ${came}. It did not run.`,
    },
  };
}
