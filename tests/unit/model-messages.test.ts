import { describe, expect, test } from "vitest";
import type { Part } from "../../lib/agents/events";
import type { Message } from "../../lib/agents/state";
import { messagesOf } from "../../lib/models/messages";
import type { Block } from "../fixtures/messages-replies";
import { complaintsAbout, type RequestBody } from "../fixtures/messages-rules";

const text = (content: string): Part => ({ type: "text", content });
const use = (call: string, modelId?: string, tool = "check_stock", content: unknown = {}): Part => ({
  type: "tool_use",
  call,
  ...(modelId !== undefined && { modelId }),
  tool,
  content,
});
const result = (call: string, content = "3 in stock.", failed = false): Part => ({
  type: "tool_result",
  call,
  content,
  failed,
});
const thinking = (thought: string): Part => ({
  type: "provider",
  content: { type: "thinking", thinking: thought, signature: `signed ${thought}` },
});
const user = (...parts: Part[]): Message => ({ role: "user", parts });
const assistant = (...parts: Part[]): Message => ({ role: "assistant", parts });

/** As it is sent; it must be what the API takes. @param paused the model goes on where it paused */
function sent(messages: Message[], { earlier = 0, paused = false } = {}) {
  const taken = messagesOf({ messages, earlier });
  const body = {
    model: "claude",
    max_tokens: 1,
    stream: true,
    tools: [{ name: "check_stock", description: "Looks.", input_schema: { type: "object" } }],
    messages: taken,
  } as unknown as RequestBody;
  const headers = {
    "x-api-key": "key",
    "anthropic-version": "2023-06-01",
    "content-type": "application/json",
  };
  const kept = taken.flatMap(({ content }) => content as unknown as Block[]);
  const said = [{ content: kept, stop: paused ? "pause_turn" : "end_turn" }];
  expect(complaintsAbout(headers, body, said)).toEqual([]);
  return taken;
}

test("a turn with calls, their results, and the answer", () => {
  const messages = [
    user(text("How many?")),
    assistant(text("Let me look."), use("call_1", "toolu_1", "check_stock", { sku: "SKU-7" })),
    user(result("call_1")),
  ];
  expect(sent(messages)).toEqual([
    { role: "user", content: [{ type: "text", text: "How many?" }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Let me look." },
        { type: "tool_use", id: "toolu_1", name: "check_stock", input: { sku: "SKU-7" } },
      ],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "3 in stock." }] },
  ]);
});

test("a failed call's result says so", () => {
  const messages = [
    user(text("How many?")),
    assistant(use("call_1", "toolu_1")),
    user(result("call_1", "TOOL_ERROR: closed", true)),
  ];
  expect(sent(messages).at(-1)?.content).toEqual([
    { type: "tool_result", tool_use_id: "toolu_1", content: "TOOL_ERROR: closed", is_error: true },
  ]);
});

describe("one message a role", () => {
  test("asks whose runs failed before any turn stand before the next one", () => {
    expect(sent([user(text("One?")), user(text("Two?")), user(text("Three?"))])).toEqual([
      {
        role: "user",
        content: ["One?", "Two?", "Three?"].map((said) => ({ type: "text", text: said })),
      },
    ]);
  });

  test("an ask stands behind the results of a run that failed after its calls", () => {
    const messages = [
      user(text("How many?")),
      assistant(use("call_1", "toolu_1")),
      user(result("call_1")),
      user(text("Well?")),
    ];
    expect(sent(messages, { earlier: 3 }).map(({ content }) => content.length)).toEqual([1, 1, 2]);
  });

  test("a turn that said nothing is left out, and so is one of blanks", () => {
    for (const empty of [assistant(), assistant(text(" \n"))]) {
      const messages = [user(text("One?")), empty, user(text("Two?"))];
      expect(sent(messages, { earlier: 2 })).toHaveLength(1);
    }
  });
});

describe("what only a turn under way needs back", () => {
  test("is sent in that turn, unchanged and in its place", () => {
    const messages = [
      user(text("How many?")),
      assistant(thinking("a"), use("call_1", "toolu_1")),
      user(result("call_1")),
    ];
    expect(sent(messages)[1]?.content).toEqual([
      { type: "thinking", thinking: "a", signature: "signed a" },
      { type: "tool_use", id: "toolu_1", name: "check_stock", input: {} },
    ]);
  });

  test("is left out of earlier runs, and with it a message that was nothing else", () => {
    const messages = [
      user(text("One?")),
      assistant(thinking("a"), text("One.")),
      user(text("Two?")),
      assistant(thinking("b")),
      user(text("Three?")),
      assistant(thinking("c"), use("call_1", "toolu_1")),
      user(result("call_1")),
    ];
    const taken = sent(messages, { earlier: 4 });
    expect(taken.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant", "user"]);
    expect(JSON.stringify(taken)).not.toMatch(/signed [ab]/);
    expect(taken[3]?.content).toHaveLength(2);
  });
});

describe("ids", () => {
  test("are ours where the model's cannot be sent back", () => {
    const messages = [user(text("How many?")), assistant(use("call_1")), user(result("call_1"))];
    const [, asked, answered] = sent(messages);
    expect(asked?.content).toMatchObject([{ id: "call_1" }]);
    expect(answered?.content).toMatchObject([{ tool_use_id: "call_1" }]);
  });

  test("that a model gives again in a later turn are told apart, the same in each request", () => {
    const turn = (call: string) => [assistant(use(call, "toolu_1")), user(result(call))];
    const messages = [user(text("How many?")), ...turn("call_1"), ...turn("call_2")];
    const taken = sent(messages);
    expect(taken[1]?.content).toMatchObject([{ id: "toolu_1" }]);
    expect(taken[3]?.content).toMatchObject([{ id: "call_2" }]);
    expect(taken[4]?.content).toMatchObject([{ tool_use_id: "call_2" }]);
    expect(taken.slice(0, 3)).toEqual(sent(messages.slice(0, 3)));
  });
});

describe("what the API would refuse, and the conversation with it for ever, is made into what it takes", () => {
  const called = (tool: string, answer = "UNKNOWN_TOOL") =>
    sent([
      user(text("How many?")),
      assistant(use("call_1", "toolu_1", tool)),
      user(result("call_1", answer)),
    ]);

  test("a tool's name that is none", () => {
    for (const tool of ["check stock", "", "lager/prüfen", "🦊", "x".repeat(500)]) called(tool);
  });

  test("a result of nothing", () => {
    for (const answer of ["", " ", "\n"]) called("check_stock", answer);
  });

  test("half a character, in text, arguments and results", () => {
    const half = "\ud83e";
    const messages = [
      user(text(`How ${half}?`)),
      assistant(text(half), use("call_1", "toolu_1", "check_stock", { [half]: [half] })),
      user(result("call_1", half)),
    ];
    expect(JSON.stringify(sent(messages))).toContain("\ufffd");
  });

  test("blanks at the end of a turn that goes on where it paused", () => {
    const messages = [user(text("Search.")), assistant(text("I search.\n\n"), text(" "))];
    expect(sent(messages, { paused: true }).at(-1)?.content).toEqual([{ type: "text", text: "I search." }]);
  });
});

test("the messages that were given are left as they were", () => {
  const messages = [user(text("One?")), user(text("Two?")), assistant(text("Two. ")), user(text("Three?"))];
  const before = structuredClone(messages);
  messagesOf({ messages, earlier: 3 });
  expect(messages).toEqual(before);
});
