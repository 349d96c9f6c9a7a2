import { cut, inspect } from "./inspect";
import type { Output } from "./output";

const MAX_ROWS = 1000;

export type Handlers = Record<string, () => unknown>;

/** Where outputs go, and what a cell's buttons do. */
export interface Stage {
  put(output: Output): void;
  /** Makes a place for buttons: pressed, the handler runs once. */
  buttons(handlers: Handlers, until: Promise<unknown> | undefined): void;
  /** Makes a frame. @returns what replaces its content */
  frame(): (content: Output) => void;
  /** A file of the server that notebooks may show. */
  source(name: string): Promise<{ code: string; runs: boolean }>;
}

/** What cells show with. Each call adds an output below the cell. */
export interface Show {
  text(text: unknown): void;
  /** Rows are objects: their keys are the columns. */
  table(rows: Iterable<object>, options?: { name?: string }): void;
  json(value: unknown): void;
  diagram(mermaid: string): void;
  /**
   * One button a label; once one is pressed, all of them are spent.
   * @param options `until`: what they wait for may also happen elsewhere: then they are spent, and say what it came to
   */
  buttons(handlers: Handlers, options?: { until?: Promise<unknown> }): void;
  /** An output that is rendered again: each of its methods replaces what it shows. */
  frame(): Omit<Show, "frame" | "buttons" | "source">;
  /** An agent's log, live. */
  events(agent: { id: string } | string): void;
  /** A file that runs here, as it is: `capabilities/shop`. */
  source(name: string): Promise<void>;
}

export function showOn(stage: Stage): Show {
  return {
    ...plainShow((output) => stage.put(output)),
    buttons: (handlers, { until } = {}) => stage.buttons(handlers, until),
    frame: () => plainShow(stage.frame()),
    async source(name) {
      const { code, runs } = await stage.source(name);
      stage.put({ kind: "source", name, code, runs });
    },
  };
}

function plainShow(put: (output: Output) => void): Omit<Show, "frame" | "buttons" | "source"> {
  return {
    text: (text) => put({ kind: "text", text: inspect(text) }),
    table: (rows, { name = "Table" } = {}) => put(tableOf([...rows], name)),
    json: (value) => put({ kind: "json", text: json(value) }),
    diagram: (source) => put({ kind: "diagram", source: cut(String(source)) }),
    events: (agent) => put({ kind: "events", agent: typeof agent === "string" ? agent : agent.id }),
  };
}

function tableOf(rows: object[], name: string): Output {
  const shown = rows.slice(0, MAX_ROWS);
  const names = [...new Set(shown.flatMap((row) => Object.keys(row)))];
  const cell = (value: unknown) => (value === undefined || value === null ? "" : cut(inspect(value), 1000));
  return {
    kind: "table",
    name,
    columns: names,
    rows: shown.map((row) => names.map((column) => cell((row as Record<string, unknown>)[column]))),
    total: rows.length,
  };
}

/** JSON where it can be; else as a console shows it. */
function json(value: unknown): string {
  try {
    return cut(JSON.stringify(value, null, 2) ?? inspect(value));
  } catch {
    return inspect(value);
  }
}
