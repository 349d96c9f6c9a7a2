/**
 * The playground of this server process. Next loads a module several times in one process (instrumentation, each
 * route, each reload), so the one instance stands on `globalThis`.
 */
import { resolve } from "node:path";
import { RelightError } from "../errors";
import { readKeys } from "../records/identity";
import { observe } from "./observe";
import { type LogLevel, Playground } from "./playground";

export type { Playground } from "./playground";

const key = Symbol.for("relight.playgrounds");
interface Shared {
  running: { playground: Playground; started: Promise<unknown> } | null;
  /** The server is stopping: nothing starts any more. */
  closing: boolean;
}

function shared(): Shared {
  const here = globalThis as { [key]?: Shared };
  here[key] ??= { running: null, closing: false };
  return here[key];
}

const LEVELS = ["debug", "info", "warn", "silent"] as const;

/**
 * Opens this server's playground and starts its runtime, as the environment says. The second call waits for the first.
 * @param print what the server says of itself
 * @throws HELD if another server runs the agents there; INVALID on a bad setting
 */
export async function startPlayground(print: (line: string) => void = console.log): Promise<void> {
  const here = shared();
  if (here.closing) throw stopping();
  if (here.running) {
    await here.running.started;
    return;
  }
  const log = logger(print);
  const playground = Playground.open({
    dir: resolve(process.env.RELIGHT_DATA || ".relight"),
    dist: process.env.RELIGHT_DIST ?? resolve("dist"),
    toolMs: toolMsFromEnvironment(),
    classes: process.env.RELIGHT_CLASSES || undefined,
    keys: process.env.RELIGHT_APIKEYS ? readKeys(process.env.RELIGHT_APIKEYS) : [],
    url: process.env.RELIGHT_URL,
    log,
  });
  observe(playground, log);
  const started = playground.start();
  here.running = { playground, started };
  try {
    await started;
  } catch (error) {
    here.running = null;
    await playground.close();
    throw error;
  }
}

/** For `instrumentation.ts`: does nothing where {@link startPlayground} was called before Next was loaded. */
export async function startWithNext(): Promise<void> {
  if (!process.env.RELIGHT_DIST) {
    // Next by itself listens everywhere and has no door.
    console.error("INVALID: Relight is served by `npm start` or `npm run dev`, not by next itself.");
    process.exit(1);
  }
  await startPlayground();
}

/** This server's playground. @throws UNAVAILABLE before there is one, and after */
export function playground(): Playground {
  const { running, closing } = shared();
  if (running) return running.playground;
  throw closing ? stopping() : new RelightError("UNAVAILABLE", "The server is starting.");
}

/** Ends streams and agents, for the server's last moments: nothing starts after it. */
export async function closePlayground(): Promise<void> {
  const here = shared();
  const { running } = here;
  here.closing = true;
  here.running = null;
  await running?.playground.close();
}

const stopping = (): RelightError => new RelightError("UNAVAILABLE", "The server is stopping.");

/** How long each demo tool takes, as `RELIGHT_TOOL_MS` says. @throws INVALID */
export function toolMsFromEnvironment(): number | undefined {
  const text = process.env.RELIGHT_TOOL_MS;
  if (!text) return undefined;
  const ms = Number(text);
  if (Number.isFinite(ms) && ms >= 0 && ms <= 600_000) return ms;
  throw new RelightError(
    "INVALID",
    `RELIGHT_TOOL_MS: expected milliseconds from 0 to 600000; came ${JSON.stringify(text)}.`,
  );
}

function logger(print: (line: string) => void): (level: LogLevel, line: string) => void {
  const wanted = process.env.RELIGHT_LOG || "info";
  const least = (LEVELS as readonly string[]).indexOf(wanted);
  if (least < 0) {
    throw new RelightError(
      "INVALID",
      `RELIGHT_LOG: expected one of ${LEVELS.join(", ")}; came ${JSON.stringify(wanted)}.`,
    );
  }
  return (level, line) => {
    if (LEVELS.indexOf(level) >= least) print(line);
  };
}
