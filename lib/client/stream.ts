import { EventSourceParserStream } from "eventsource-parser/stream";
import { isRelightError, RelightError } from "../errors";
import { pause } from "../pause";
import type { StreamMessage } from "../playground/stream";
import type { Http } from "./http";

export type { StreamMessage };

export interface StreamOptions {
  /** Exclusive; 0 unless given. */
  after?: number;
  /** Only this agent's events. */
  agent?: string;
  signal?: AbortSignal;
  /** Told whenever the connection comes or goes. */
  onConnection?: (connection: Connection) => void;
}

export type Connection = "live" | "reconnecting";

/** Whatever gives the stream's messages. */
export type StreamSource = (options: StreamOptions) => AsyncGenerator<StreamMessage, void, undefined>;

const LONGEST_WAIT_MS = 2000;
/** The server sends a comment every 15 s: one that says nothing for so long is gone. */
const SILENCE_MS = 45_000;

/**
 * The live stream, by fetch, since EventSource sends no headers and Node 20 has none. It reconnects by itself and
 * goes on after the last event it gave, without gap or repeat. Ends when the signal aborts.
 * @throws what the server refuses the stream with
 */
export async function* stream(
  http: Http,
  options: StreamOptions = {},
): AsyncGenerator<StreamMessage, void, undefined> {
  if (http.lent) {
    yield* http.lent(options);
    return;
  }
  const { agent, signal, onConnection } = options;
  let { after = 0 } = options;
  let failures = 0;
  let log: string | undefined;
  while (!signal?.aborted) {
    try {
      for await (const message of connection(http, after, agent, signal)) {
        if (message.is === "log") {
          onConnection?.("live");
          // A cursor of some other log, at this address before: this one is read from its beginning.
          const other = log !== undefined && log !== message.log;
          log = message.log;
          if (other && after > message.cursor) {
            after = message.base;
            yield message;
            throw new RelightError("UNAVAILABLE", "The stream was of another log.");
          }
        }
        if (message.is === "event") after = message.event.sequence;
        failures = 0;
        yield message;
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (isRelightError(error) && error.code !== "UNAVAILABLE") throw error;
    }
    if (signal?.aborted) return;
    onConnection?.("reconnecting");
    const wait = Math.min(100 * 2 ** failures++, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2);
    await pause(wait, signal);
  }
}

async function* connection(
  http: Http,
  after: number,
  agent: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage, void, undefined> {
  const gone = new AbortController();
  const abort = () => gone.abort();
  signal?.addEventListener("abort", abort);
  let silence = setTimeout(abort, SILENCE_MS);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(abort, SILENCE_MS);
  };
  try {
    const query = new URLSearchParams({ after: String(after), ...(agent && { agent }) });
    const response = await http.send(`/events?${query}`, {
      headers: { accept: "text/event-stream" },
      signal: gone.signal,
      cache: "no-store",
    });
    if (!response.body) throw new RelightError("UNAVAILABLE", "The stream has no body.");
    const bytes = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        heard();
        controller.enqueue(chunk);
      },
    });
    const reader = response.body
      .pipeThrough(bytes)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
      .getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const data: unknown = JSON.parse(value.data);
      if (value.event === "log")
        yield { is: "log", ...(data as { log: string; base: number; cursor: number }) };
      else if (value.event === "world") yield { is: "world", world: data } as StreamMessage;
      else if (value.event === "leases") yield { is: "leases", leases: data } as StreamMessage;
      else if (value.event === "speech") yield { is: "speech", speech: data } as StreamMessage;
      else if (value.event === "workers") yield { is: "workers", workers: data } as StreamMessage;
      else if (value.event === undefined) yield { is: "event", event: data } as StreamMessage;
    }
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener("abort", abort);
    gone.abort();
  }
}
