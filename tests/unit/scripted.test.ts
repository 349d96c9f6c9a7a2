import { describe, expect, test } from "vitest";
import type { Part } from "../../lib/agents/events";
import type { Message } from "../../lib/agents/state";
import { shop } from "../../lib/models/scripted";

const request = (messages: Message[]) => ({
  model: "shop",
  instructions: "",
  messages,
  earlier: 0,
  tools: [],
  keys: {},
  speak: () => {},
  wait: () => {},
});
const reply = async (...messages: Message[]) => (await shop.ask(request(messages))).parts;
const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", content: text }] });
const ask = (text: string) => reply(say(text));

const checkStock = (sku: string) => ({ type: "call", tool: "check_stock", input: { sku } });
const chargeCard = (amount: number, order: string) => ({
  type: "call",
  tool: "charge_card",
  input: { amount, order },
});

describe("a question about stock", () => {
  test.each([
    ["How many SKU-7 do we have?", "SKU-7"],
    ["Do we have SKU-9 in stock", "SKU-9"],
    ["how many sku-12 are left?", "SKU-12"],
    ["Stock of SKU-A1B2, please.", "SKU-A1B2"],
  ])("%s", async (text, sku) => expect(await ask(text)).toEqual([checkStock(sku)]));

  test("about two products looks up both, each once", async () => {
    expect(await ask("SKU-7 or SKU-9? I mean SKU-7.")).toEqual([checkStock("SKU-7"), checkStock("SKU-9")]);
  });
});

describe("an order to charge", () => {
  test.each([
    ["Charge Maria's card $40 for order 1042.", 40, "1042"],
    ["Charge Bob's card $7 for order 9", 7, "9"],
    ["charge $1,250 for order #2001", 1250, "2001"],
    ["Please charge the card $19.99 for order 77.", 19.99, "77"],
    ["Charge $1,234,567.89 for order number 5", 1234567.89, "5"],
    ["For order A-17, charge the card $40.", 40, "A-17"],
    ["Charge 40 dollars for order 1042", 40, "1042"],
    ["In order to settle this, charge $12 for order 88", 12, "88"],
  ])("%s", async (text, amount, order) => expect(await ask(text)).toEqual([chargeCard(amount, order)]));

  test("beside a question about stock is two calls of one turn", async () => {
    expect(await ask("Check SKU-7 and charge Maria's card $40 for order 1042.")).toEqual([
      checkStock("SKU-7"),
      chargeCard(40, "1042"),
    ]);
  });
});

describe("anything else", () => {
  test.each([
    ["Hello!"],
    ["What is the meaning of life?"],
    ["Charge Maria's card for order 1042."],
    ["Charge Maria's card $40."],
    ["Recharge my phone with $40, order 7"],
    ["مرحبا 🦊"],
  ])("says that it is scripted, and what it understands: %s", async (text) => {
    const [part, ...rest] = await ask(text);
    expect(rest).toEqual([]);
    expect(part).toMatchObject({ type: "text", content: expect.stringMatching(/scripted.+not a real/) });
    expect(part).toMatchObject({ content: expect.stringMatching(/SKU-7.+\$40 for order 1042/) });
  });

  test("is answered also where nothing was said", async () => {
    expect(await reply()).toMatchObject([{ type: "text", content: expect.stringContaining("scripted") }]);
  });
});

describe("its answer", () => {
  const answer = async (...results: [string, boolean][]) => {
    const parts = results.map(
      ([content, failed], at): Part => ({ type: "tool_result", call: `call-${at}`, content, failed }),
    );
    const uses = parts.map(
      (_, at): Part => ({ type: "tool_use", call: `call-${at}`, tool: "check_stock", content: {} }),
    );
    const asked = say("How many SKU-7 do we have? And charge $40 for order 1042.");
    const replied = await reply(asked, { role: "assistant", parts: uses }, { role: "user", parts });
    return replied.map((part) => (part.type === "text" ? part.content : part));
  };

  test("is what the tools said, in order, and asks for nothing more", async () => {
    const said = ["SKU-7: 3 in stock.", "Charged $40."] as const;
    expect(await answer([said[0], false], [said[1], false])).toEqual(["SKU-7: 3 in stock. Charged $40."]);
  });

  test("is the person's own words where a call was denied", async () => {
    expect(await answer(["The bank shows the charge already.", false])).toEqual([
      "The bank shows the charge already.",
    ]);
  });

  test("says of a failed call that it did not work, and why", async () => {
    const [text] = await answer(["TOOL_ERROR: no such card", true]);
    expect(text).toMatch(/did not work.+no such card/);
  });

  test("to a later question is about that one", async () => {
    const parts: Part[] = [
      { type: "tool_result", call: "call-1", content: "SKU-7: 3 in stock.", failed: false },
    ];
    const before: Message[] = [say("How many SKU-7?"), { role: "user", parts }];
    const spoken: Message = { role: "assistant", parts: [{ type: "text", content: "SKU-7: 3 in stock." }] };
    expect(await reply(...before, spoken, say("And SKU-9?"))).toEqual([checkStock("SKU-9")]);
  });
});

test("is the same every time, and costs nothing", async () => {
  const asked = request([say("How many SKU-7?")]);
  const [first, second] = [await shop.ask(asked), await shop.ask(asked)];
  expect(first).toEqual(second);
  expect(first.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
});
