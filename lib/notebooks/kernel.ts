/**
 * Runs a notebook's cells and tells what became of them. It knows neither pages nor terminals: a page's worker and a
 * headless process each give it a way to tell, and ask it with the same few messages.
 */
import { isRelightError, messageOf } from "../errors";
import { Evaluator } from "./evaluator";
import { cut, inspect } from "./inspect";
import type { Output } from "./output";
import { type Handlers, type Show, showOn } from "./show";

/** What is asked of a kernel. */
export type ToKernel =
  | { ask: "run"; cell: string; code: string }
  /** Presses a button that a cell has shown. */
  | { ask: "press"; buttons: string; label: string };

/** What a kernel tells, in the order in which it happens. */
export type FromKernel =
  | { tells: "output"; cell: string; output: Output }
  | { tells: "frame"; cell: string; frame: string; content: Output[] }
  | { tells: "pressed"; cell: string; buttons: string; label: string }
  /** What its buttons waited for has happened elsewhere. */
  | { tells: "spent"; cell: string; buttons: string; why: string }
  /** Its code has run; `waiting` for a button that it shows. */
  | { tells: "done"; cell: string; waiting: boolean }
  | { tells: "failed"; cell: string };

export interface KernelOptions {
  /** What cells find in scope, besides `show`, `sleep` and `console`. */
  given: Record<string, unknown>;
  tell(message: FromKernel): void;
  source(name: string): Promise<{ code: string; runs: boolean }>;
}

/** So many outputs of one cell are kept; a loop that prints is told that the rest is not. */
const MAX_OUTPUTS = 500;

interface Buttons {
  cell: string;
  handlers: Handlers;
}

export class Kernel {
  readonly #options: KernelOptions;
  readonly #evaluator: Evaluator;
  readonly #buttons = new Map<string, Buttons>();
  /** The cell that runs, or whose button was pressed: what it shows goes there. */
  #cell = "";
  #counts = new Map<string, number>();
  #ids = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(options: KernelOptions) {
    this.#options = options;
    const show = this.#show();
    this.#evaluator = new Evaluator({ ...options.given, show, sleep, console: this.#console() });
  }

  /** Does one thing after the other: what a cell shows while it runs is its own. */
  ask(message: ToKernel): Promise<void> {
    this.#turn = this.#turn.then(() => this.#do(message));
    return this.#turn;
  }

  /** What nobody waited for went wrong: shown where one was last. */
  stray(error: unknown): void {
    this.#put(errorOf(this.#cell, error));
  }

  #do(message: ToKernel): Promise<void> {
    return message.ask === "run"
      ? this.#run(message.cell, message.code)
      : this.#press(message.buttons, message.label);
  }

  async #run(cell: string, code: string): Promise<void> {
    for (const [id, buttons] of this.#buttons) if (buttons.cell === cell) this.#buttons.delete(id);
    this.#counts.delete(cell);
    await this.#as(cell, async () => {
      const value = await this.#evaluator.run(cell, code);
      if (value !== undefined) this.#put({ kind: "text", text: inspect(value) });
    });
  }

  async #press(id: string, label: string): Promise<void> {
    const buttons = this.#buttons.get(id);
    const handler = buttons && Object.hasOwn(buttons.handlers, label) ? buttons.handlers[label] : undefined;
    if (!buttons || !handler) return;
    this.#buttons.delete(id);
    this.#options.tell({ tells: "pressed", cell: buttons.cell, buttons: id, label });
    await this.#as(buttons.cell, async () => void (await handler()));
  }

  /** Spends buttons that nobody has pressed yet. */
  #spend(id: string, why: string): void {
    const buttons = this.#buttons.get(id);
    if (!buttons) return;
    const { cell } = buttons;
    this.#buttons.delete(id);
    this.#options.tell({ tells: "spent", cell, buttons: id, why: cut(why, 1000) });
    if (!this.#isWaiting(cell)) this.#options.tell({ tells: "done", cell, waiting: false });
  }

  #isWaiting(cell: string): boolean {
    return [...this.#buttons.values()].some((buttons) => buttons.cell === cell);
  }

  /** Does work for a cell, and tells how it ended. */
  async #as(cell: string, work: () => Promise<void>): Promise<void> {
    this.#cell = cell;
    try {
      await work();
      this.#options.tell({ tells: "done", cell, waiting: this.#isWaiting(cell) });
    } catch (error) {
      this.#cell = cell;
      this.#put(errorOf(cell, error));
      this.#options.tell({ tells: "failed", cell });
    }
  }

  #put(output: Output): void {
    const count = (this.#counts.get(this.#cell) ?? 0) + 1;
    this.#counts.set(this.#cell, count);
    if (count > MAX_OUTPUTS && output.kind !== "error") {
      if (count === MAX_OUTPUTS + 1) {
        const text = `… what it showed after ${MAX_OUTPUTS} outputs is not kept.`;
        this.#options.tell({ tells: "output", cell: this.#cell, output: { kind: "log", text } });
      }
      return;
    }
    this.#options.tell({ tells: "output", cell: this.#cell, output });
  }

  #show(): Show {
    return showOn({
      put: (output) => this.#put(output),
      source: (name) => this.#options.source(name),
      buttons: (handlers, until) => {
        const id = this.#newId();
        this.#buttons.set(id, { cell: this.#cell, handlers });
        this.#put({ kind: "buttons", id, labels: Object.keys(handlers), pressed: null, why: null });
        // One thing after the other: not while the cell that shows them still runs.
        const spend = (why: string) => (this.#turn = this.#turn.then(() => this.#spend(id, why)));
        until?.then(
          (what) => spend(inspect(what)),
          (error: unknown) => spend(messageOf(error)),
        );
      },
      frame: () => {
        const [id, cell] = [this.#newId(), this.#cell];
        this.#put({ kind: "frame", id, content: [] });
        return (content) => this.#options.tell({ tells: "frame", cell, frame: id, content: [content] });
      },
    });
  }

  #console(): Pick<Console, "log" | "info" | "warn" | "error" | "debug"> {
    const print = (...values: unknown[]) =>
      this.#put({ kind: "log", text: cut(values.map(inspect).join(" ")) });
    return { log: print, info: print, warn: print, error: print, debug: print };
  }

  #newId(): string {
    return `o${++this.#ids}`;
  }
}

/** Waits so many milliseconds. */
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A name that is not there is one of a cell that has not run, as a rule. */
const said = (error: Error): string =>
  error.name === "ReferenceError" ? `${error.message}. Run the cell that declares it first.` : error.message;

function errorOf(cell: string, error: unknown): Output {
  const line =
    Evaluator.lineOf(cell, error) ?? (isRelightError(error, "INVALID") ? error.details.line : undefined);
  return {
    kind: "error",
    code: isRelightError(error) ? error.code : error instanceof Error ? error.name : null,
    message: cut(error instanceof Error ? said(error) : `thrown: ${inspect(error)}`, 4000),
    // A cell that cannot be parsed says its line itself.
    line: typeof line === "number" && !isRelightError(error) ? line : null,
  };
}
