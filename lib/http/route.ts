/** What every API handler is wrapped in: it parses, calls the library, and answers; errors become problems here. */
import * as input from "../agents/input";
import { OWNER, type Scope } from "../agents/scope";
import { RelightError } from "../errors";
import { type Playground, playground } from "../playground";
import { parse } from "../validate";
import { problem, publicError } from "./problem";

const MAX_BODY_BYTES = 1024 * 1024;
/** How much of a body that is too large is read before it is refused, so that the sender gets to read the answer. */
const MAX_DRAIN_BYTES = 64 * 1024 * 1024;

export interface Call {
  playground: Playground;
  scope: Scope;
  /** The path's parameters, decoded once. */
  params: { id: string; class: string; field: string };
  query: URLSearchParams;
  request: Request;
  /**
   * The JSON body; `{}` where there is none. It is whatever came: the library that takes it checks it.
   */
  body<T>(): T;
}

/** What a handler returns: a Response, or what is sent as JSON. */
type Handler = (call: Call) => unknown;
type Context = { params: Promise<unknown> };
type Route = (request: Request, context: Context) => Promise<Response>;

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

/**
 * The handlers of one path.
 * @param status of a success; 200 unless given
 */
export function routes(handlers: Partial<Record<Method, Handler>>, status = 200): Record<Method, Route> {
  const allow = Object.keys(handlers).join(", ");
  const entries = METHODS.map((method): [Method, Route] => {
    const handler = handlers[method] ?? notAllowed(method, allow);
    return [method, (request, context) => answer(handler, request, context, status)];
  });
  return Object.fromEntries(entries) as Record<Method, Route>;
}

async function answer(
  handler: Handler,
  request: Request,
  context: Context,
  status: number,
): Promise<Response> {
  try {
    // Read before anything is done, also where nothing is made of it: a form of another kind is no request of ours.
    const body = request.method === "GET" || request.method === "HEAD" ? {} : await bodyOf(request);
    const call: Call = {
      playground: playground(),
      scope: scopeOf(request),
      params: (await context.params) as Call["params"],
      query: new URL(request.url).searchParams,
      request,
      body: <T>() => body as T,
    };
    const result = await handler(call);
    if (result instanceof Response) return result;
    return Response.json(result, { status, headers: { "cache-control": "no-store" } });
  } catch (error) {
    const { body, ...init } = problem(publicError(error));
    return new Response(body, init);
  }
}

function notAllowed(method: string, allow: string): Handler {
  return ({ request }) => {
    const { pathname } = new URL(request.url);
    throw new RelightError(
      "METHOD_NOT_ALLOWED",
      `${pathname}: expected ${allow || "nothing"}; came ${method}.`,
    );
  };
}

function scopeOf(request: Request): Scope {
  const header = request.headers.get("relight-as");
  return header === null ? OWNER : parse(input.scope, json(header, "Relight-As"), "Relight-As");
}

async function bodyOf(request: Request): Promise<unknown> {
  const text = await read(request);
  if (text === "") return {};
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new RelightError(
      "UNSUPPORTED_MEDIA_TYPE",
      `expected application/json; came ${JSON.stringify(type)}.`,
    );
  }
  return json(text, "body");
}

async function read(request: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
    if (bytes > MAX_DRAIN_BYTES) break;
  }
  if (bytes > MAX_BODY_BYTES) {
    throw new RelightError("TOO_LARGE", `expected a body of at most ${MAX_BODY_BYTES} bytes; came more.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
  } catch {
    throw new RelightError("INVALID", "body: expected UTF-8.");
  }
}

function json(text: string, what: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RelightError("INVALID", `${what}: expected JSON; it cannot be parsed.`);
  }
}
