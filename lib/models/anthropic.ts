/** Claude, through the official SDK. What it throws becomes a failure with a code; what may pass is tried again. */
import Anthropic, { APIError } from "@anthropic-ai/sdk";
import type { MessageCreateParams, MessageParam, Tool } from "@anthropic-ai/sdk/resources/messages";
import type { Failure } from "../agents/events";
import { messageOf } from "../errors";
import { pause } from "../pause";
import { Assembly } from "./assembly";
import { messagesOf } from "./messages";
import { type Key, type Model, ModelError, type ModelRequest, type ModelTurn } from "./model";
import { partsOf } from "./turn";

/** The most that one turn may say. */
const MAX_TOKENS = 8192;
/** A stream that brings no event for so long is cut. */
const SILENCE_MS = 300_000;

/** Tries in all, and the wait before the second one; it doubles. */
const TRIES = 6;
const FIRST_WAIT_MS = 500;
/** Nobody watches a page for longer: better a failed run that a person may retry. */
const LONGEST_WAIT_MS = 120_000;

export const anthropic: Model = {
  async ask(request) {
    for (let attempt = 1; ; attempt++) {
      // Each time: it may have been changed meanwhile.
      const key = request.keys.anthropic;
      if (!key) throw noKey(request.model);
      if (!/^[\x21-\x7e]+$/.test(key.value)) throw badKey(key, "it has characters that no key has.");
      try {
        return await turn(request, key);
      } catch (error) {
        const { failure, what, waitMs } = troubleOf(error, key, attempt);
        if (attempt >= TRIES || waitMs === null) throw new ModelError(failure, { cause: error });
        request.wait(`${what}, trying again in ${inSeconds(waitMs)}`, waitMs);
        await pause(waitMs);
      }
    }
  },
};

async function turn(request: ModelRequest, { value }: Key): Promise<ModelTurn> {
  const { model, instructions, tools, speak } = request;
  // The address comes from the environment alone. The SDK's own log would quote what came.
  const client = new Anthropic({ apiKey: value, authToken: null, maxRetries: 0, logLevel: "off" });
  const silence = new AbortController();
  let timer = setTimeout(() => silence.abort(), SILENCE_MS);
  const assembly = new Assembly();
  const messages = messagesOf(request);
  try {
    const stream = await client.messages.create(
      {
        model,
        max_tokens: MAX_TOKENS,
        ...(instructions.trim() !== "" && { system: instructions }),
        messages,
        ...toolsOf(tools, messages),
        stream: true,
      },
      { signal: silence.signal },
    );
    for await (const event of stream) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const text = assembly.add(event);
      if (text !== "") speak(text);
      // Whole: what becomes of the connection now is of no interest.
      if (assembly.ended) break;
    }
  } finally {
    clearTimeout(timer);
  }
  if (!assembly.ended) throw new BrokenStream("the stream broke off");
  const { blocks, usage, stop } = assembly;
  if (stop === "model_context_window_exceeded") throw new ModelError(CONTEXT_WINDOW);
  const special = stop !== null && !["end_turn", "tool_use", "stop_sequence"].includes(stop);
  return { parts: partsOf(blocks, stop), usage, ...(special && { stop }) };
}

/** What may be called; where nothing may be and something was, the API wants that named all the same. */
function toolsOf(
  tools: ModelRequest["tools"],
  messages: MessageParam[],
): Pick<MessageCreateParams, "tools" | "tool_choice"> {
  const named = (name: string, description: string, schema: Record<string, unknown>): Tool => ({
    name,
    description,
    input_schema: schema as Tool.InputSchema,
  });
  if (tools.length > 0)
    return { tools: tools.map(({ name, description, schema }) => named(name, description, schema)) };
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const used = new Set(blocks.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])));
  if (used.size === 0) return {};
  const gone = [...used].map((name) => named(name, "No longer there.", { type: "object" }));
  return { tools: gone, tool_choice: { type: "none" } };
}

/** What came was half of a message. */
class BrokenStream extends Error {}

const CONTEXT_WINDOW = {
  code: "CONTEXT_WINDOW",
  message:
    "The conversation is longer than the model can read (its context window). What was asked before counts: define another agent to begin anew.",
};

const noKey = (model: string): ModelError =>
  new ModelError({
    code: "NO_KEY",
    message: `anthropic:${model} needs a key: put one into the Secrets panel and press Retry, or set ANTHROPIC_API_KEY before the server starts. scripted:shop needs none.`,
  });

const badKey = (key: Key, why: string): ModelError => {
  const from = key.source === "panel" ? "the Secrets panel" : "the environment (ANTHROPIC_API_KEY)";
  return new ModelError({ code: "BAD_KEY", message: `The key from ${from} was refused: ${why}` });
};

interface Trouble {
  what: string;
  failure: Failure;
  /** Milliseconds until it may be tried again; null if there is no use. */
  waitMs: number | null;
}

/** An error that comes in the middle of a stream has only a type. */
const STATUS: Partial<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  overloaded_error: 529,
};

function troubleOf(error: unknown, key: Key, attempt: number): Trouble {
  const hopeless = (failure: Failure): Trouble => ({ what: "", failure, waitMs: null });
  if (error instanceof ModelError) return hopeless(error.failure);
  const api = error instanceof APIError ? error : null;
  const status = api?.status ?? STATUS[api?.type ?? ""];
  const said = clean(String(api?.apiMessage ?? messageOf(error)), key);
  if (status === 401 || status === 403) return hopeless(badKey(key, said).failure);

  const overloaded = status === 429 || status === 529;
  const passes = overloaded || status === 408 || status === 409 || (status ?? 500) >= 500;
  if (!passes) {
    const tooLong = /prompt is too long|context window/i.test(said);
    const code = tooLong ? CONTEXT_WINDOW.code : "MODEL_REJECTED";
    return hopeless({ code, message: `The model's API refused the request (${status}): ${said}` });
  }

  const what = whatOf(status);
  const asked = retryAfter(error);
  // Jitter, so that many that were refused together do not come back together.
  const waitMs = asked ?? FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  const tried = attempt === 1 ? "once" : `${attempt} times`;
  const tooLate = waitMs > LONGEST_WAIT_MS;
  const later = tooLate ? ` It wants to be asked again in ${inSeconds(waitMs)}, not before.` : "";
  const failure = {
    code: overloaded ? "OVERLOADED" : "MODEL_UNAVAILABLE",
    message: `The model could not be asked (${what}), tried ${tried}: ${said}${later}`,
  };
  return { what, failure, waitMs: tooLate ? null : waitMs };
}

function whatOf(status: number | undefined): string {
  if (status === 429) return "rate limited";
  if (status === 529) return "overloaded";
  return status === undefined ? "the connection broke" : `the API answered ${status}`;
}

/** What the API asks for, in milliseconds: seconds or a date (RFC 9110), or its own finer header. */
function retryAfter(error: unknown): number | null {
  const headers = error instanceof APIError ? error.headers : undefined;
  const ms = Number.parseFloat(headers?.get("retry-after-ms") ?? "");
  if (ms >= 0) return ms;
  const after = headers?.get("retry-after");
  if (!after) return null;
  const seconds = Number(after);
  const wait = Number.isNaN(seconds) ? Date.parse(after) - Date.now() : seconds * 1000;
  return Number.isNaN(wait) ? null : Math.max(0, wait);
}

/** An API that quotes the key must not get it into the log. */
const clean = (text: string, { value }: Key): string =>
  text
    .replaceAll(value, "[the key]")
    .replaceAll(Buffer.from(value).toString("base64").replace(/=+$/, ""), "[the key]")
    .slice(0, 2000);

const inSeconds = (ms: number): string =>
  `${ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, "") : Math.round(ms / 1000)} s`;
