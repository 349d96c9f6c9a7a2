/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) over a playground's stream. */
import { parseAgentId } from "../agents/input";
import { demand, PLAYGROUND, type Scope } from "../agents/scope";
import { isRelightError, RelightError } from "../errors";
import { type StreamMessage, stream } from "../playground/stream";
import { pageOf } from "./page";
import type { Call } from "./route";

const HEARTBEAT_MS = 15_000;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};

/** A live stream, from `Last-Event-ID` or `after` on. Ends with the request, or with the server. */
export function sse({ playground, scope, query, request }: Call): Response {
  const subject = subjectIn(query, scope);
  const after = lastEventId(request) ?? pageOf(query).after;
  // Headers only: there is nobody to stream to.
  if (request.method === "HEAD") return new Response(null, { headers: HEADERS });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const encoder = new TextEncoder();
  const write = (text: string) => writer.write(encoder.encode(text));

  const ended = new AbortController();
  request.signal.addEventListener("abort", () => ended.abort());
  // The reader may also just go away.
  writer.closed.catch(() => ended.abort());

  // A comment without an id: it keeps proxies awake and moves no cursor.
  const heartbeat = setInterval(() => void write(": still here\n\n").catch(() => {}), HEARTBEAT_MS);
  stream(playground, { after, subject, scope, signal: ended.signal }, (messages) =>
    write(messages.map(lines).join("")),
  )
    .catch((error: unknown) => {
      if (!ended.signal.aborted && !isRelightError(error)) console.error(error);
    })
    .finally(() => {
      clearInterval(heartbeat);
      writer.close().catch(() => {});
    });

  return new Response(readable, { headers: HEADERS });
}

function lines(message: StreamMessage): string {
  switch (message.is) {
    case "event":
      return `id: ${message.event.sequence}\ndata: ${JSON.stringify(message.event)}\n\n`;
    case "log":
      return `event: log\ndata: ${JSON.stringify({ log: message.log, base: message.base, cursor: message.cursor })}\n\n`;
    case "world":
      return `event: world\ndata: ${JSON.stringify(message.world)}\n\n`;
    case "leases":
      return `event: leases\ndata: ${JSON.stringify(message.leases)}\n\n`;
    case "speech":
      return `event: speech\ndata: ${JSON.stringify(message.speech)}\n\n`;
    case "workers":
      return `event: workers\ndata: ${JSON.stringify(message.workers)}\n\n`;
  }
}

/** Whose events are asked for: an agent's, a record's, or (undefined) everybody's. @throws INVALID, FORBIDDEN */
export function subjectIn(query: URLSearchParams, scope: Scope): string | undefined {
  const [agent, record] = [query.get("agent"), query.get("record")];
  if (agent !== null && record !== null)
    throw new RelightError("INVALID", "expected agent or record; came both.");
  if (agent !== null) {
    demand(scope, "read", parseAgentId(agent));
    return agent;
  }
  if (record === null) return undefined;
  demand(scope, "read", PLAYGROUND);
  return `record:${record}`;
}

function lastEventId(request: Request): number | undefined {
  const text = request.headers.get("last-event-id");
  if (text === null || text === "") return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new RelightError(
    "INVALID",
    `Last-Event-ID: expected a cursor; came ${JSON.stringify(text.slice(0, 50))}.`,
  );
}
