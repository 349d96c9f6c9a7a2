/**
 * A deterministic stand-in for a model, on the same path as a real one, so that everything works without a key. It
 * understands questions about stock and orders to charge a card, and says so when it understands neither.
 */
import { type Message, textOf } from "../agents/state";
import type { Model, TurnPart } from "./model";

const HELP =
  "I am a scripted stand-in for a model, not a real one. I understand questions about stock with a product code " +
  "(“How many SKU-7 do we have?”) and charges with an amount and an order (“Charge Maria's card $40 for order 1042.”).";

export const shop: Model = {
  async ask({ messages }) {
    const last = messages.at(-1);
    const results = last ? resultsOf(last) : [];
    const parts = results.length > 0 ? [text(answer(results))] : plan(last ? textOf(last.parts) : "");
    return { parts, usage: { inputTokens: 0, outputTokens: 0 } };
  },
};

function plan(ask: string): TurnPart[] {
  const codes = new Set(ask.toUpperCase().match(/\bSKU-[A-Z0-9]+\b/g));
  const calls = [...codes].map((sku): TurnPart => ({ type: "call", tool: "check_stock", input: { sku } }));
  const amount = /(?<!-)\$\s?(\d[\d,]*(?:\.\d+)?)|\b(\d[\d,]*(?:\.\d+)?)\s?(?:dollars|usd)\b/i.exec(ask);
  const order = /\border:?\s+(?:no\.?\s*|number\s+)?#?([\w-]*\d\w*)/i.exec(ask)?.[1];
  if (/\bcharge\b/i.test(ask) && amount && order) {
    const dollars = Number((amount[1] ?? amount[2] ?? "").replaceAll(",", ""));
    calls.push({ type: "call", tool: "charge_card", input: { amount: dollars, order } });
  }
  return calls.length > 0 ? calls : [text(HELP)];
}

/** The tools' own words, and a person's where a call was denied. */
function answer(results: { content: string; failed: boolean }[]): string {
  return results.map(({ content, failed }) => (failed ? `That did not work. ${content}` : content)).join(" ");
}

function resultsOf(message: Message) {
  return message.parts.flatMap((part) => (part.type === "tool_result" ? [part] : []));
}

const text = (content: string): TurnPart => ({ type: "text", content });
