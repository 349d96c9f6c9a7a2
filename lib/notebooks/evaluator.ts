/** Runs cells, one after the other, in a scope that they share. The same in a page's worker and in a headless process. */
import { SCOPE, transform } from "./transform";

/** How many lines the engine puts before a function's body that is made from text. */
const HEADER_LINES = 2;

// Not a global; only reachable through an async function.
const AsyncFunction = (async () => {}).constructor as new (
  parameter: string,
  body: string,
) => (scope: object) => Promise<unknown>;

export class Evaluator {
  readonly #values: Map<string, unknown>;
  readonly #scope: object;

  /** @param given what cells find there without declaring it */
  constructor(given: Record<string, unknown>) {
    this.#values = new Map(Object.entries(given));
    this.#scope = this.#proxy();
  }

  /**
   * Runs a cell.
   * @returns the value of its last expression; undefined where it ends in something else
   * @throws INVALID with the line if it cannot be parsed; whatever the cell throws
   */
  async run(id: string, code: string): Promise<unknown> {
    const { body, names } = transform(code);
    // In place of a runnable that does not start: a syntax error that only the engine finds names this cell too.
    const run = new AsyncFunction(SCOPE, `with (${SCOPE}) {${body}\n}\n//# sourceURL=${sourceOf(id)}`);
    for (const name of names) this.#values.set(name, undefined);
    return run(this.#scope);
  }

  /** The line of a cell that an error came from, counted from 1; undefined if it came from elsewhere. */
  static lineOf(id: string, error: unknown): number | undefined {
    const stack = error instanceof Error ? error.stack : undefined;
    const line = new RegExp(`${sourceOf(id)}:(\\d+):`).exec(stack ?? "")?.[1];
    return line === undefined ? undefined : Number(line) - HEADER_LINES;
  }

  /** Names of cells live in `#values`; what is not there is the platform's, or not defined. */
  #proxy(): object {
    const values = this.#values;
    return new Proxy(Object.create(null) as object, {
      // A platform function that was found here would be called with this proxy as its `this`.
      has: (_, name) =>
        typeof name === "string" && name !== SCOPE && (values.has(name) || !(name in globalThis)),
      get: (_, name) => {
        if (typeof name !== "string") return undefined;
        if (!values.has(name)) throw new ReferenceError(`${name} is not defined`);
        return values.get(name);
      },
      set: (_, name, value) => {
        if (typeof name !== "string" || !values.has(name))
          throw new ReferenceError(`${String(name)} is not defined`);
        values.set(name, value);
        return true;
      },
    });
  }
}

const sourceOf = (id: string): string => `cell-${id}.js`;
