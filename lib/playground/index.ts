/**
 * The playground of this server process. Next loads a module several times in one process (instrumentation, each
 * route, each reload), so the one instance stands on `globalThis`.
 */
import { resolve } from "node:path";
import { RelightError } from "../errors";
import { observe } from "./observe";
import { type LogLevel, Playground } from "./playground";

export type { Playground } from "./playground";

const key = Symbol.for("relight.playgrounds");
const shared = globalThis as { [key]?: Map<string, { playground: Playground; started: Promise<unknown> }> };

const LEVELS = ["debug", "info", "warn", "silent"] as const;

/**
 * Opens this server's playground and starts its runtime, as the environment says. The second call waits for the first.
 * @throws HELD if another server runs the agents there; INVALID on a bad setting
 */
export async function startPlayground(): Promise<void> {
  shared[key] ??= new Map();
  const dir = resolve(process.env.RELIGHT_DATA || ".relight");
  const running = shared[key].get(dir);
  if (running) {
    await running.started;
    return;
  }
  const log = logger();
  const playground = Playground.open({
    dir,
    dist: process.env.RELIGHT_DIST ?? resolve("dist"),
    toolMs: toolMsFromEnvironment(),
    log,
  });
  observe(playground, log);
  const started = playground.start();
  shared[key].set(dir, { playground, started });
  try {
    await started;
  } catch (error) {
    shared[key].delete(dir);
    await playground.close();
    throw error;
  }
}

/** This server's playground. @throws UNAVAILABLE before there is one */
export function playground(): Playground {
  const [first] = shared[key]?.values() ?? [];
  if (!first) throw new RelightError("UNAVAILABLE", "The server is starting.");
  return first.playground;
}

/** Ends streams and agents; for the server's last moments. */
export async function closePlayground(): Promise<void> {
  const all = [...(shared[key]?.values() ?? [])];
  shared[key]?.clear();
  await Promise.all(all.map(({ playground: open }) => open.close()));
}

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

function logger(): (level: LogLevel, line: string) => void {
  const wanted = process.env.RELIGHT_LOG || "info";
  const least = (LEVELS as readonly string[]).indexOf(wanted);
  if (least < 0) {
    throw new RelightError(
      "INVALID",
      `RELIGHT_LOG: expected one of ${LEVELS.join(", ")}; came ${JSON.stringify(wanted)}.`,
    );
  }
  return (level, line) => {
    if (LEVELS.indexOf(level) >= least) console.log(line);
  };
}
