/** Runs a notebook without a page, cell by cell, in a process of its own with a bare environment. */
import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import type { FromKernel, ToKernel } from "./kernel";
import { type Output, take } from "./output";
import type { Cell, Notebook } from "./parse";

export interface HeadlessOptions {
  notebook: Notebook;
  /** The server that its cells talk to. */
  server: string;
  /** What they read as `relight.model`. */
  model: string;
  /** Where the bundles are. */
  dist: string;
  started(cell: Cell): void;
  shown(output: Output): void;
}

/** @returns the cell that failed; null if none did */
export async function runHeadless({
  notebook,
  server,
  model,
  dist,
  started,
  shown,
}: HeadlessOptions): Promise<Cell | null> {
  // A notebook is code: what it has no use for it does not get.
  const env = { PATH: process.env.PATH, NODE_ENV: "production" } as NodeJS.ProcessEnv;
  const kernel = fork(join(dist, "kernel.mjs"), [server, model], {
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  try {
    for (const block of notebook.blocks) {
      if (block.kind !== "cell") continue;
      started(block);
      if (!(await runCell(kernel, block, shown))) return block;
    }
    return null;
  } finally {
    kernel.kill("SIGKILL");
  }
}

/** Runs a cell, presses the button that its fence names, and hands on what it showed. @returns whether it went well */
function runCell(kernel: ChildProcess, cell: Cell, shown: (output: Output) => void): Promise<boolean> {
  return new Promise((resolve) => {
    // What a frame shows last is what it shows; so outputs are handed on when the cell has ended.
    let outputs: Output[] = [];
    let pressed = false;
    const end = (well: boolean) => {
      kernel.off("message", hear);
      kernel.off("exit", died);
      outputs.forEach(shown);
      resolve(well);
    };
    const fail = (message: string) => {
      outputs = [...outputs, { kind: "error", code: null, message, line: null }];
      end(false);
    };
    const died = () => fail("its kernel has ended");
    const ask = (message: ToKernel) => kernel.send(message, () => {});
    const press = () => {
      const shownButtons = outputs.findLast((output) => output.kind === "buttons");
      if (cell.press === null) return fail('it waits for a press, and its fence names no button (press="…")');
      if (!shownButtons?.labels.includes(cell.press))
        return fail(`it has no button ${JSON.stringify(cell.press)}`);
      pressed = true;
      ask({ ask: "press", buttons: shownButtons.id, label: cell.press });
    };
    const hear = (raw: unknown) => {
      const message = raw as FromKernel;
      if (message.cell !== cell.id) return;
      if (message.tells === "failed") end(false);
      else if (message.tells === "done") message.waiting && !pressed ? press() : end(true);
      else outputs = take(outputs, message);
    };
    kernel.on("message", hear);
    kernel.on("exit", died);
    ask({ ask: "run", cell: cell.id, code: cell.code });
  });
}
