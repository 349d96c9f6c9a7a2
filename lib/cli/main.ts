import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { connect, type Relight } from "../client";
import { lineOf } from "../errors";
import { lineOfChange, lineOfEvent, lineOfInterrupt, linesOfResumption, print } from "./print";

export interface Checkout {
  /** Where the built checkout is. */
  root: string;
  buildPages(): Promise<void>;
  /** Bundles again whenever `lib/` changes. */
  watchBundles(): Promise<void>;
}

/** Runs one command. Exits 2 on bad usage, 1 on an error, told on stderr in one line with its code. */
export async function main(argv: string[], checkout: Checkout): Promise<void> {
  // Whoever reads the output may have enough of it: `relight demo | head`.
  process.stdout.on("error", ({ code }: NodeJS.ErrnoException) => process.exit(code === "EPIPE" ? 0 : 1));
  try {
    await program(checkout).parseAsync(argv);
  } catch (error) {
    if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2);
    console.error(lineOf(error));
    process.exit(1);
  }
}

function program(checkout: Checkout): Command {
  const relight = new Command("relight")
    .description("A playground for agents that survive a crash.")
    .version("0.1.0")
    .exitOverride()
    .configureHelp({ showGlobalOptions: true });

  relight
    .command("serve")
    .description("serve the playground on this machine")
    .addOption(new Option("--port <port>", "the port; 0 for any that is free").default(3000).argParser(port))
    .option("--host <host>", "the loopback address to listen on", "127.0.0.1")
    .option("--data <dir>", "the data directory; otherwise RELIGHT_DATA, otherwise .relight")
    .option("--dev", "rebuild as sources change", false)
    .option("--json", "JSON, one document a line", false)
    .action(async (options) => (await import("./serve")).serve(options, checkout));

  relight
    .command("demo")
    .description("both crash demos in the terminal, with no browser and no server")
    .option("--json", "one JSON object a line", false)
    .action(async ({ json }) => {
      const held = await (await import("./demo")).demo(json);
      if (!held) process.exitCode = 1;
    });

  remote(relight.command("run").description("run a notebook without a page").argument("<notebook.md>"))
    .option("--model <name>", "what its cells read as relight.model; Claude if the server has a key")
    .action(async (file, { server, json, model }) => {
      const failed = await (await import("./run")).run(file, server, json, model);
      if (failed) process.exitCode = 1;
    });

  remote(relight.command("events").description("the log"))
    .option("--follow", "go on as it grows", false)
    .addOption(new Option("--after <cursor>", "start after this cursor").default(0).argParser(cursor))
    .action(async ({ server, json, follow, after }) => {
      const client = connect(server);
      if (follow) {
        await client.events.head();
        const onConnection = (now: string) =>
          now === "reconnecting" && console.error("The server is gone; reconnecting.");
        for await (const { event } of client.events.follow({ after, onConnection })) {
          print(json, event, lineOfEvent(event));
        }
        return;
      }
      for (let more = true, from = after as number; more; ) {
        const page = await client.events.list({ after: from, limit: 1000 });
        for (const event of page.events) print(json, event, lineOfEvent(event));
        from = page.cursor;
        more = page.more;
      }
    });

  remote(relight.command("interrupts").description("what waits for a person"))
    .option("--all", "also what was decided", false)
    .action(async ({ server, json, all }) => {
      const interrupts = await connect(server).interrupts.list(all ? undefined : "open");
      for (const interrupt of interrupts) print(json, interrupt, lineOfInterrupt(interrupt));
      if (interrupts.length === 0 && !json) console.log("Nothing waits for a person.");
    });

  remote(relight.command("approve").description("run a call in doubt once more").argument("<id>")).action(
    async (id, { server, json }) => decided(json, await connect(server).interrupts.approve(id)),
  );

  remote(relight.command("deny").description("settle a call in doubt without running it").argument("<id>"))
    .requiredOption("--reason <text>", "what the model reads as the call's result")
    .action(async (id, { server, json, reason }) =>
      decided(json, await connect(server).interrupts.deny(id, { reason })),
    );

  remote(
    relight
      .command("resume")
      .description("what the worker of a key wakes up to: its checkpoint, and what changed since")
      .argument("<class/id>"),
  ).action(async (record, { server, json }) => {
    const resumption = await records(server).checkpointLoad(record);
    print(json, resumption, linesOfResumption(resumption));
  });

  remote(relight.command("history").description("the audit trail of a record").argument("<class/id>")).action(
    async (record, { server, json }) => {
      for (let more = true, after = 0; more; ) {
        const page = await records(server).history(record, { after, limit: 1000 });
        for (const row of page.rows) print(json, row, lineOfChange(row));
        [after, more] = [page.cursor, page.more];
      }
    },
  );

  return relight;
}

/** By the key in `RELIGHT_APIKEY`; without one, as the owner, who reads everything. */
const records = (server: string) =>
  connect(server).records({ token: process.env.RELIGHT_APIKEY || undefined });

/** A command that talks to a server. */
function remote(command: Command): Command {
  return command
    .option("--server <url>", "the server", "http://127.0.0.1:3000")
    .option("--json", "JSON, one document a line", false);
}

function decided(json: boolean, answer: Awaited<ReturnType<Relight["interrupts"]["approve"]>>): void {
  print(json, answer, `${answer.interrupt.status}: ${lineOfInterrupt(answer.interrupt)}`);
}

function whole(text: string, most: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value > most)
    throw new InvalidArgumentError(`Expected a whole number up to ${most}.`);
  return value;
}

const port = (text: string): number => whole(text, 65_535);
const cursor = (text: string): number => whole(text, Number.MAX_SAFE_INTEGER);
