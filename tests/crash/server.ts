import { join } from "node:path";
import { onTestFinished } from "vitest";
import { Server, type ServerOptions } from "../server";
import { temporary } from "./stage";

type Cleanup = (clean: () => void) => void;

/** A server on a directory of its own, unless one is given, that ends after the test, or when `cleanup` says. */
export async function serve({
  data,
  cleanup = onTestFinished,
  ...options
}: ServerOptions & { data?: string; cleanup?: Cleanup } = {}): Promise<Server> {
  const started = Server.start(data ?? join(temporary(cleanup), "data"), options);
  cleanup(() => void started.then((server) => server.process.kill("SIGKILL")));
  return started;
}
