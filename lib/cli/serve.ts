import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { armFromEnvironment } from "../crash-point";
import { isRelightError, lineOf, messageOf, RelightError } from "../errors";
import { guard } from "../http/guard";
import { problem } from "../http/problem";
import { closePlayground, startPlayground } from "../playground";
import type { Checkout } from "./main";

export interface ServeOptions {
  port: number;
  host: string;
  data?: string;
  dev: boolean;
  json: boolean;
}

/** The script of the worker that cells run in: the only one that may evaluate text, and it has no page. */
const KERNEL = "/kernel.js";
const KERNEL_POLICY = "default-src 'none'; script-src 'self' 'unsafe-eval'; connect-src 'self'";

/** How long an idle connection is kept. Stopping closes it at once. */
const KEEP_ALIVE_MS = 600_000;

/** How long stopping may take in all. */
const STOP_MS = 2500;
/** How long answers that are under way may take after that. */
const LAST_ANSWERS_MS = 300;

/**
 * Serves until SIGTERM or Ctrl-C. Next is a shell: its handler stands behind a server of our own, so that each request
 * passes the door first, and so that stopping is ours, from the streams to the exit code.
 * @throws INVALID if the host is no loopback address; UNAVAILABLE if the port is taken
 */
export async function serve(
  { port, host, data, dev, json }: ServeOptions,
  { root, buildPages, watchBundles }: Checkout,
): Promise<void> {
  if (!["127.0.0.1", "::1", "localhost"].includes(host)) {
    throw new RelightError(
      "INVALID",
      `--host: expected 127.0.0.1, ::1 or localhost; came ${host}. Whoever reaches Relight can run code and charge cards, so it serves this machine only.`,
    );
  }
  if (process.platform === "win32") {
    throw new RelightError(
      "INVALID",
      "Relight proves that processes are dead as Linux and macOS do: on Windows, run it in WSL.",
    );
  }
  process.env.RELIGHT_DATA = resolve(data ?? (process.env.RELIGHT_DATA || ".relight"));
  process.env.RELIGHT_DIST = join(root, "dist");
  process.env.NEXT_TELEMETRY_DISABLED = "1";
  process.env.NEXT_MANUAL_SIG_HANDLE = "1";
  Object.assign(process.env, { NODE_ENV: dev ? "development" : "production" });
  if (dev) await watchBundles();
  else await buildPages();
  armFromEnvironment();

  let handle: ((request: IncomingMessage, response: ServerResponse) => Promise<void>) | null = null;
  const server = createServer((request, response) => {
    if (refused(request, response, dev)) return;
    if (handle) void handle(request, response);
    else answer(response, new RelightError("UNAVAILABLE", "The server is starting."));
  });
  // A client that was frozen for longer comes back on a connection that it believes in.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  // The port first: a server that cannot be reached must not run agents.
  await listen(server, port, host);
  const stopped = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => stopped.abort());
  stopped.signal.addEventListener("abort", () => void stop(server));
  const { port: bound } = server.address() as { port: number };
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}`;
  process.env.RELIGHT_URL = url;

  // Only a page under development has a socket; ours is the first to hear of one.
  server.on("upgrade", (request, socket) => {
    try {
      guard("GET", request.url ?? "/", request.headers);
      if (!dev) socket.destroy();
    } catch {
      socket.destroy();
    }
  });

  // Agents that were under way go on while Next is still loading; `instrumentation.ts` finds them running.
  await startPlayground((line) => console.log(json ? JSON.stringify({ line }) : line));
  if (stopped.signal.aborted) return;
  const { default: next } = await import("next");
  const app = next({ dev, dir: root, hostname: host, port: bound, httpServer: server });
  await withoutRemarks(() => app.prepare());
  if (stopped.signal.aborted) return;
  handle = app.getRequestHandler();
  console.log(json ? JSON.stringify({ url, pid: process.pid }) : `Relight is ready at ${url}`);
}

/** Answers a request that may not come in, and gives every other answer the headers that keep the page to itself. */
function refused(request: IncomingMessage, response: ServerResponse, dev: boolean): boolean {
  response.setHeader("x-content-type-options", "nosniff");
  response.setHeader("referrer-policy", "no-referrer");
  response.setHeader("cross-origin-resource-policy", "same-origin");
  try {
    guard(request.method ?? "GET", request.url ?? "/", request.headers);
  } catch (error) {
    if (!isRelightError(error)) throw error;
    answer(response, error);
    return true;
  }
  if (request.url === KERNEL) response.setHeader("content-security-policy", KERNEL_POLICY);
  else if (!request.url?.startsWith("/api")) {
    const policy = contentSecurityPolicy(dev);
    // Next finds the nonce for its own scripts in the request.
    request.headers["content-security-policy"] = policy;
    response.setHeader("content-security-policy", policy);
  }
  return false;
}

function answer(response: ServerResponse, error: RelightError): void {
  const { status, headers, body } = problem(error);
  response.writeHead(status, headers).end(body);
}

function contentSecurityPolicy(dev: boolean): string {
  const nonce = randomBytes(16).toString("base64");
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${dev ? " 'unsafe-eval'" : ""}`,
    // Mermaid writes its styles into the diagrams.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; ");
}

/** Next remarks on its configuration file while it loads; what this server prints are lines of its own. */
async function withoutRemarks(load: () => Promise<void>): Promise<void> {
  const { log } = console;
  console.log = (...line: unknown[]) => {
    if (!line.join(" ").includes("next.config")) log(...line);
  };
  try {
    await load();
  } finally {
    console.log = log;
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((done, fail) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const message =
        error.code === "EADDRINUSE"
          ? `Port ${port} is in use.`
          : `Port ${port} cannot be used: ${messageOf(error)}.`;
      fail(new RelightError("UNAVAILABLE", `${message} Choose another one with --port.`));
    });
    server.listen(port, host, done);
  });
}

/** Ends streams, agents and the server, and then the process. */
async function stop(server: Server): Promise<void> {
  // Somebody else may hold the database's lock. The agents die with this process; the next server finds their leases.
  setTimeout(() => {
    console.error(`UNAVAILABLE: The agents could not be stopped in ${STOP_MS} ms.`);
    process.exit(1);
  }, STOP_MS);
  const closed = new Promise((resolve) => server.close(resolve));
  let code = 0;
  try {
    await closePlayground();
  } catch (error) {
    console.error(lineOf(error));
    code = 1;
  }
  server.closeIdleConnections();
  await Promise.race([closed, sleep(LAST_ANSWERS_MS)]);
  process.exit(code);
}
