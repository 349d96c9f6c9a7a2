/** Records on a store of their own, with a clock that a test sets, as two servers at once would have them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";
import { Book } from "../../lib/records/book";
import { type Classes, readClasses } from "../../lib/records/classes";
import type { RecordEvent } from "../../lib/records/events";
import { callerOf, OWNER } from "../../lib/records/identity";
import { Records } from "../../lib/records/records";
import { openSqliteStore, type Store } from "../../lib/store";

export const RECORD = { className: "incidents", id: "inc-111" };
export const FIELD = "remediation";
export const SECOND = 1000;
export const HOUR = 3_600_000;

/** A checkpoint with every section that incidents ask for. */
export const WHOLE = { goal: "drain", decisions: "in batches", progress: "4 of 11", open_questions: "none" };

interface Bench {
  /** Epoch milliseconds: the clock of both. */
  clock: number;
  store: Store;
  /** What the holder of a key of this name can do. */
  as(name: string): Records;
  /** The same, as another process with the same file has it. */
  elsewhere(name: string): Records;
  /** Without a key. */
  owner: Records;
  /** Every event of the record so far. */
  history(): Promise<RecordEvent[]>;
}

const builtIn = fileURLToPath(new URL("../../lib/records/classes", import.meta.url));

/** Fills the bench before each test, with the record created. @param more classes beside the built-in ones */
export function freshBench(more: Classes = new Map()): Bench {
  const bench = {} as Bench;
  let clean = () => {};
  beforeEach(async () => {
    const directory = mkdtempSync(join(tmpdir(), "relight-records-"));
    const path = join(directory, "relight.db");
    const create = { log: "log-1", source: "/relight/test", after: 0 };
    bench.clock = Date.UTC(2030, 0, 1);
    const now = () => bench.clock;
    const stores = [openSqliteStore({ path, create, now }), openSqliteStore({ path, now })];
    clean = () => {
      for (const store of stores) store.close();
      rmSync(directory, { recursive: true });
    };
    const classes = new Map([...readClasses(builtIn), ...more]);
    const [here, there] = stores.map((store) => new Book(store, classes)) as [Book, Book];
    bench.store = here.store;
    bench.as = (name) => new Records(here, callerNamed(name));
    bench.elsewhere = (name) => new Records(there, callerNamed(name));
    bench.owner = new Records(here, OWNER);
    bench.history = async () => (await bench.owner.history(RECORD, { limit: 1000 })).rows;
    await bench.as("diagnoser").create(RECORD, {});
  });
  afterEach(() => clean());
  return bench;
}

const callerNamed = (name: string) => callerOf("Bearer token", [{ token: "token", name }]);

export const typesOf = (events: readonly { type: string }[]): string[] =>
  events.map(({ type }) => type.replace("relight.", ""));
