/** The real server, as `npm start` runs it, in a process of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { root } from "../lib/cli/build.mjs";
import { connect, type Relight } from "../lib/client";

export const AGENT = "acme/@maria/shop";

export interface ServerOptions {
  toolMs?: number;
  /** Crashes itself with SIGKILL there. */
  crashAt?: string;
  args?: string[];
  env?: Record<string, string>;
}

export class Server {
  readonly lines: string[] = [];
  readonly exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
  url = "";

  private constructor(
    readonly process: ChildProcess,
    readonly data: string,
  ) {
    this.exited = once(process, "exit").then(([code, signal]) => ({ code, signal }));
  }

  /**
   * Starts a server on a free port.
   * @returns once it has said that it is ready, or has ended
   */
  static async start(data: string, options: ServerOptions = {}): Promise<Server> {
    const { toolMs = 300, crashAt, args = [], env = {} } = options;
    const child = spawn(
      process.execPath,
      [join(root, "lib/cli/relight.mjs"), "serve", "--port", "0", "--data", data, ...args],
      {
        // A terminal's Ctrl-C goes to the whole process group; so the server gets one of its own.
        detached: true,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          ...process.env,
          RELIGHT_TOOL_MS: String(toolMs),
          ...(crashAt !== undefined && { RELIGHT_CRASH_AT: crashAt }),
          ...env,
        },
      },
    );
    const server = new Server(child, data);
    const ready = new Promise<void>((resolve) => {
      for (const stream of [child.stdout, child.stderr]) {
        if (!stream) continue;
        createInterface({ input: stream }).on("line", (line) => {
          server.lines.push(line);
          const url = /ready at (http:\S+)/.exec(line)?.[1];
          if (url === undefined) return;
          server.url = url;
          resolve();
        });
      }
    });
    await Promise.race([ready, server.exited]);
    return server;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  get client(): Relight {
    return connect(this.url);
  }

  async define() {
    return this.client.define(AGENT, { model: "scripted:shop", instructions: "", tools: ["shop"] });
  }

  async kill(): Promise<void> {
    this.process.kill("SIGKILL");
    await this.exited;
  }
}
