import type { RawMessageStreamEvent } from "@anthropic-ai/sdk/resources/messages";
import { expect, test } from "vitest";
import { Assembly } from "../../lib/models/assembly";
import { type Block, eventsOf, type Reply, text, use } from "../fixtures/messages-replies";

const added = (events: { type: string; [field: string]: unknown }[]) => {
  const assembly = new Assembly();
  const spoken = events.map((event) => assembly.add(event as unknown as RawMessageStreamEvent));
  return { assembly, spoken: spoken.join("") };
};
const heard = (content: Block[], how: Partial<Reply> = {}) => added(eventsOf({ content, ...how }, "claude"));
const contentOf = (assembly: Assembly) => assembly.blocks.map(({ content }) => content);

test("text comes piece by piece, and is spoken as it comes", () => {
  const said = "Größe 🦊: 3 Stück.\n";
  const { assembly, spoken } = heard([text(said)]);
  expect(contentOf(assembly)).toEqual([text(said)]);
  expect(spoken).toBe(said);
  expect(assembly).toMatchObject({ ended: true, stop: "end_turn" });
});

test("a call's arguments are kept as the text that came; nothing of them is spoken", () => {
  const { assembly, spoken } = heard([use("check_stock", { sku: "SKU-7" }, "toolu_1")]);
  expect(assembly.blocks).toEqual([
    { content: { type: "tool_use", id: "toolu_1", name: "check_stock", input: {} }, json: '{"sku":"SKU-7"}' },
  ]);
  expect(spoken).toBe("");
  expect(assembly.stop).toBe("tool_use");
});

test("thinking is whole, with its signature, and is not spoken", () => {
  const blocks = [
    { type: "thinking", thinking: "Let me look at the shelf.", signature: "c2lnbmVk" },
    { type: "redacted_thinking", data: "b3BhcXVl" },
    text("Three."),
  ];
  const { assembly, spoken } = heard(blocks);
  expect(contentOf(assembly)).toEqual(blocks);
  expect(spoken).toBe("Three.");
});

test("citations are gathered", () => {
  const start = { type: "content_block_start", index: 0, content_block: { ...text(""), citations: null } };
  const delta = (cited_text: string) => ({
    type: "content_block_delta",
    index: 0,
    delta: { type: "citations_delta", citation: { cited_text } },
  });
  const { assembly } = added([start, delta("one"), delta("two")]);
  expect(contentOf(assembly)[0]?.citations).toEqual([{ cited_text: "one" }, { cited_text: "two" }]);
});

test("counts are totals so far, those of a cache included", () => {
  const usage = {
    input_tokens: 10,
    output_tokens: 1,
    cache_creation_input_tokens: 5,
    cache_read_input_tokens: 7,
  };
  const start = { type: "message_start", message: { usage } };
  const delta = (output_tokens: number) => ({
    type: "message_delta",
    delta: { stop_reason: "end_turn" },
    usage: { output_tokens, input_tokens: null },
  });
  expect(added([start, delta(30), delta(44)]).assembly.usage).toEqual({ inputTokens: 22, outputTokens: 44 });
});

test("half a stream is not ended", () => {
  const events = eventsOf({ content: [text("Three.")] }, "claude");
  for (let count = 0; count < events.length; count++)
    expect(added(events.slice(0, count)).assembly.ended).toBe(false);
});

test("what it does not know changes nothing", () => {
  const events = [
    { type: "message_begins_soon" },
    { type: "content_block_delta", index: 7, delta: { type: "text_delta", text: "to no block" } },
    { type: "content_block_start", index: 0, content_block: { type: "hologram", depth: 3 } },
    { type: "content_block_delta", index: 0, delta: { type: "hologram_delta", depth: 4 } },
  ];
  const { assembly, spoken } = added(events);
  expect(contentOf(assembly)).toEqual([{ type: "hologram", depth: 3 }]);
  expect(spoken).toBe("");
});
