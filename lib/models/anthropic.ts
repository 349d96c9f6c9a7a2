/** Claude, through the official SDK. What it throws becomes a failure with a code; what may pass is tried again. */
import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import type { Tool } from "@anthropic-ai/sdk/resources/messages";
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
    const key = request.keys.anthropic;
    if (!key) throw noKey(request.model);
    for (let attempt = 1; ; attempt++) {
      try {
        return await turn(request, key);
      } catch (error) {
        const trouble = troubleOf(error, key);
        const ms = trouble.wait(attempt);
        if (attempt >= TRIES || ms === null) throw new ModelError(trouble.failure, { cause: error });
        request.wait(`${trouble.what}, trying again in ${inSeconds(ms)}`, ms);
        await pause(ms);
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
  try {
    const stream = await client.messages.create(
      {
        model,
        max_tokens: MAX_TOKENS,
        ...(instructions.trim() !== "" && { system: instructions }),
        messages: messagesOf(request),
        ...(tools.length > 0 && {
          tools: tools.map(({ name, description, schema }) => ({
            name,
            description,
            input_schema: schema as Tool.InputSchema,
          })),
        }),
        stream: true,
      },
      { signal: silence.signal },
    );
    for await (const event of stream) {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
      const text = assembly.add(event);
      if (text !== "") speak(text);
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

/** What came was half of a message. */
class BrokenStream extends Error {}

const CONTEXT_WINDOW = {
  code: "CONTEXT_WINDOW",
  message: "The conversation is longer than the model can read: its context window is exceeded.",
};

const noKey = (model: string): ModelError =>
  new ModelError({
    code: "NO_KEY",
    message: `anthropic:${model} needs a key: put one into the Secrets panel and press Retry, or set ANTHROPIC_API_KEY before the server starts. scripted:shop needs none.`,
  });

interface Trouble {
  what: string;
  failure: { code: string; message: string };
  /** Milliseconds until it may be tried again, after so many tries; null if there is no use. */
  wait(attempt: number): number | null;
}

function troubleOf(error: unknown, key: Key): Trouble {
  if (error instanceof ModelError) return { what: "", failure: error.failure, wait: () => null };
  const status = error instanceof APIError ? error.status : undefined;
  const said = clean(error instanceof APIError ? (error.apiMessage ?? error.message) : messageOf(error), key);
  const type = error instanceof APIError ? error.type : null;
  const overloaded =
    status === 429 || status === 529 || type === "overloaded_error" || type === "rate_limit_error";
  const never = () => null;
  if (status === 401 || status === 403) {
    const from = key.source === "panel" ? "the Secrets panel" : "the environment (ANTHROPIC_API_KEY)";
    return {
      what: "",
      failure: { code: "BAD_KEY", message: `The key from ${from} was refused: ${said}` },
      wait: never,
    };
  }
  const passes = overloaded || status === 408 || status === 409 || (status ?? 500) >= 500;
  if (!passes) {
    const tooLong = /prompt is too long|context window/i.test(said);
    const code = tooLong ? CONTEXT_WINDOW.code : "MODEL_REJECTED";
    return {
      what: "",
      failure: { code, message: `The model's API refused the request (${status}): ${said}` },
      wait: never,
    };
  }
  const what = overloaded
    ? status === 429 || type === "rate_limit_error"
      ? "rate limited"
      : "overloaded"
    : status === undefined || error instanceof APIConnectionError
      ? "the connection broke"
      : `the API answered ${status}`;
  const failure = {
    code: overloaded ? "OVERLOADED" : "MODEL_UNAVAILABLE",
    message: `The model could not be asked (${what}), tried ${TRIES} times: ${said}`,
  };
  const wait = (attempt: number) => {
    const asked = retryAfter(error);
    if (asked !== null) return asked <= LONGEST_WAIT_MS ? asked : null;
    // Jitter, so that many that were refused together do not come back together.
    return FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
  };
  return { what, failure, wait };
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
    .replaceAll(Buffer.from(value).toString("base64"), "[the key]")
    .slice(0, 2000);

const inSeconds = (ms: number): string =>
  `${ms < 10_000 ? (ms / 1000).toFixed(1).replace(/\.0$/, "") : Math.round(ms / 1000)} s`;
