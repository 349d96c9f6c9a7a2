/**
 * A message of the Messages API, put together from the events of its stream. By our own hand, because a tool's arguments
 * that are no JSON must not end the turn: the model is told, and asked again.
 * https://platform.claude.com/docs/en/api/messages-streaming
 */
import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import type { Usage } from "../agents/events";

/** A content block as it came. `json`: the arguments of a tool use, as text. */
export interface Block {
  content: Record<string, unknown> & { type: string };
  json: string;
}

/** Of a type that is known or not. */
type Delta = { type: string } & Record<string, unknown>;

export class Assembly {
  readonly blocks: Block[] = [];
  readonly usage: Usage = { inputTokens: 0, outputTokens: 0 };
  stop: string | null = null;
  /** It has been told that the message is whole. */
  ended = false;

  /** @returns the text that the event added */
  add(event: RawMessageStreamEvent): string {
    switch (event.type) {
      case "message_start":
        this.#count(event.message.usage);
        return "";
      case "content_block_start": {
        const content = { ...event.content_block } as Block["content"];
        this.blocks[event.index] = { content, json: "" };
        return content.type === "text" ? String(content.text ?? "") : "";
      }
      case "content_block_delta":
        return this.#grow(event.index, event.delta as unknown as Delta);
      case "message_delta":
        this.stop = event.delta.stop_reason ?? this.stop;
        this.#count(event.usage);
        return "";
      case "message_stop":
        this.ended = true;
        return "";
      default:
        return "";
    }
  }

  #grow(index: number, delta: Delta): string {
    const block = this.blocks[index];
    if (!block) return "";
    const { content } = block;
    const append = (field: string) => {
      content[field] = `${content[field] ?? ""}${delta[field] ?? ""}`;
    };
    switch (delta.type) {
      case "text_delta":
        append("text");
        return String(delta.text ?? "");
      case "input_json_delta":
        block.json += String(delta.partial_json ?? "");
        return "";
      case "thinking_delta":
        append("thinking");
        return "";
      case "signature_delta":
        append("signature");
        return "";
      case "citations_delta":
        content.citations = [...((content.citations as unknown[] | null) ?? []), delta.citation];
        return "";
      default:
        return "";
    }
  }

  /** Counts are totals so far; those of a cache are input, too. */
  #count(usage: {
    input_tokens?: number | null;
    output_tokens?: number | null;
    cache_creation_input_tokens?: number | null;
    cache_read_input_tokens?: number | null;
  }): void {
    const input =
      (usage.input_tokens ?? 0) +
      (usage.cache_creation_input_tokens ?? 0) +
      (usage.cache_read_input_tokens ?? 0);
    this.usage.inputTokens = Math.max(this.usage.inputTokens, input);
    this.usage.outputTokens = Math.max(this.usage.outputTokens, usage.output_tokens ?? 0);
  }
}
