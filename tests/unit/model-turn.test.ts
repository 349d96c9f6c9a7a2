import { describe, expect, test } from "vitest";
import type { Block } from "../../lib/models/assembly";
import { partsOf } from "../../lib/models/turn";

const block = (content: Block["content"], json = ""): Block => ({ content, json });
const text = (said: string) => block({ type: "text", text: said });
const use = (json: string, id = "toolu_1", name = "check_stock") =>
  block({ type: "tool_use", id, name, input: {} }, json);
const LOOKUP = '{"sku":"SKU-7"}';

test("text and calls keep their order; empty text is left out, since it cannot be sent back", () => {
  const blocks = [text("Let me look."), text(""), use(LOOKUP), text(" \n\t"), use(LOOKUP, "toolu_2")];
  expect(partsOf(blocks, "tool_use")).toEqual([
    { type: "text", content: "Let me look." },
    { type: "call", tool: "check_stock", input: { sku: "SKU-7" }, modelId: "toolu_1" },
    { type: "call", tool: "check_stock", input: { sku: "SKU-7" }, modelId: "toolu_2" },
  ]);
});

test("text is kept to the letter, its blanks and its control characters too", () => {
  const said = "  \u0000\u001b[31mred\u202e \n";
  expect(partsOf([text(said)], "end_turn")).toEqual([{ type: "text", content: said }]);
});

test("what is neither is kept as it came", () => {
  const thinking = { type: "thinking", thinking: "Hm.", signature: "c2ln" };
  expect(partsOf([block(thinking), text("Three.")], "end_turn")[0]).toEqual({
    type: "provider",
    content: thinking,
  });
});

test("a call of the provider's own is kept with the arguments that were streamed", () => {
  const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
  expect(partsOf([block(search, '{"query":"SKU-7"}')], "pause_turn")).toEqual([
    { type: "provider", content: { ...search, input: { query: "SKU-7" } } },
  ]);
});

test("a call without arguments has none; one that began with its arguments has those", () => {
  const begun = block({ type: "tool_use", id: "toolu_2", name: "check_stock", input: { sku: "SKU-8" } });
  expect(partsOf([use(""), begun], "tool_use")).toMatchObject([{ input: {} }, { input: { sku: "SKU-8" } }]);
});

describe("a call whose arguments are no object cannot be run, and says what came", () => {
  test.each(["[1]", "7", '"SKU-7"', "null", "true", '{"sku":', "SKU-7", "{}{}"])("%s", (json) => {
    const [part] = partsOf([use(json)], "tool_use");
    expect(part).toMatchObject({ type: "call", input: {}, modelId: "toolu_1" });
    expect(part).toHaveProperty("error.code", "INVALID_ARGUMENTS");
    expect(part).toHaveProperty("error.message", expect.stringContaining(`came ${json}.`));
  });

  test("of what is long, its beginning, by whole characters", () => {
    const [part] = partsOf([use(`"${"🦊".repeat(5000)}`)], "tool_use");
    const { message } = (part as { error: { message: string } }).error;
    expect(message.length).toBeLessThan(400);
    expect(message).not.toMatch(/\p{Cs}/u);
  });
});

describe("a call that was cut off cannot be run", () => {
  test.each(['{"sku":"SK', LOOKUP, ""])("whatever came of its arguments: %s", (json) => {
    const parts = partsOf([text("Let me look."), use(json)], "max_tokens");
    expect(parts[1]).toMatchObject({ type: "call", input: {}, error: { code: "CUT" } });
  });

  test("the calls before it can, and those before text that was cut", () => {
    const [first, last] = partsOf([use(LOOKUP), use('{"sku"', "toolu_2")], "max_tokens");
    expect(first).not.toHaveProperty("error");
    expect(last).toHaveProperty("error.code", "CUT");
    const [before] = partsOf([use(LOOKUP), text("And th")], "max_tokens");
    expect(before).not.toHaveProperty("error");
  });
});

test("a turn that was refused in its middle asks for nothing", () => {
  const parts = partsOf([text("Well,"), use(LOOKUP), use('{"sku"', "toolu_2")], "refusal");
  expect(parts).toEqual([{ type: "text", content: "Well," }]);
});

describe("ids", () => {
  test("that cannot be sent back are not kept", () => {
    for (const id of ["", "a b", "toolu.1", "ü"])
      expect(partsOf([use(LOOKUP, id)], "tool_use")[0]).not.toHaveProperty("modelId");
  });

  test("two calls of one id: neither can be run, and the first alone keeps it", () => {
    const parts = partsOf([use(LOOKUP), use(LOOKUP, "toolu_2"), use(LOOKUP)], "tool_use");
    expect(parts.map((part) => "error" in part)).toEqual([true, false, true]);
    expect(parts[0]).toMatchObject({ modelId: "toolu_1", error: { code: "INVALID_ARGUMENTS" } });
    expect(parts[2]).not.toHaveProperty("modelId");
  });
});

test("nothing at all is a turn without parts", () => {
  expect(partsOf([], "end_turn")).toEqual([]);
});
