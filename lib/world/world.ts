/**
 * What a runtime cannot roll back: a bank, a warehouse, a cluster, and a count of how often each tool really ran. It
 * stands for other people's systems, so it has a database of its own, which no transaction of ours covers. Rows are
 * appended and dated, never changed.
 */
import { randomUUID } from "node:crypto";
import { crashPoint } from "../crash-point";
import { type Database, openDatabase, read, write } from "../store";

export interface Charge {
  id: string;
  /** Dollars. */
  amount: number;
  order: string | null;
  at: string;
  idempotencyKey?: string;
}

/** The world as people see it. */
export interface WorldView {
  toolRuns: Record<string, number>;
  bank: Charge[];
  cluster: { node: string; cordoned: boolean; pods: number; evicted: number };
}

const PODS = 11;

const migrations = [
  `
  CREATE TABLE tool_runs (id INTEGER PRIMARY KEY, tool TEXT NOT NULL, at TEXT NOT NULL);
  CREATE TABLE charges (
    id TEXT PRIMARY KEY,
    amount INTEGER NOT NULL,
    order_id TEXT,
    at TEXT NOT NULL,
    idempotency_key TEXT UNIQUE
  );
  CREATE TABLE cluster_actions (id INTEGER PRIMARY KEY, action TEXT NOT NULL, pods INTEGER NOT NULL, at TEXT NOT NULL);
  `,
];

interface ChargeRow {
  id: string;
  amount: number;
  order_id: string | null;
  at: string;
  idempotency_key: string | null;
}

export class World {
  readonly #database: Database;

  /** @throws UNAVAILABLE if the file is not there, unless it may be created */
  constructor(path: string, { create = false } = {}) {
    this.#database = openDatabase({ path, migrations, create });
  }

  /** Counts that a tool began to run, whatever becomes of it. */
  async ran(tool: string): Promise<void> {
    await write(this.#database, () => {
      this.#database.prepare("INSERT INTO tool_runs (tool, at) VALUES (?, ?)").run(tool, now());
    });
  }

  /** The warehouse: how many of a product it has. Anything it was asked for, it has three of. */
  stock(_sku: string): number {
    return 3;
  }

  /** The bank: books a charge. With an idempotency key that it has seen, it returns that charge and books nothing. */
  async charge(amount: number, order?: string, idempotencyKey?: string): Promise<Charge> {
    crashPoint("before-effect");
    const row = await write(this.#database, () => {
      const seen =
        idempotencyKey &&
        this.#database.prepare("SELECT * FROM charges WHERE idempotency_key = ?").get(idempotencyKey);
      if (seen) return seen as ChargeRow;
      const id = `charge_${randomUUID().slice(0, 8)}`;
      return this.#database
        .prepare(
          "INSERT INTO charges (id, amount, order_id, at, idempotency_key) VALUES (?, ?, ?, ?, ?) RETURNING *",
        )
        .get(id, amount, order ?? null, now(), idempotencyKey ?? null) as ChargeRow;
    });
    crashPoint("after-effect");
    return chargeOf(row);
  }

  view(): Promise<WorldView> {
    return read(this.#database, () => {
      const runs = this.#database
        .prepare("SELECT tool, count(*) AS n FROM tool_runs GROUP BY tool ORDER BY tool")
        .all();
      const charges = this.#database.prepare("SELECT * FROM charges ORDER BY at, rowid").all() as ChargeRow[];
      const { evicted, cordoned } = this.#database
        .prepare(
          `SELECT coalesce(sum(pods), 0) AS evicted, coalesce(max(action = 'cordon'), 0) AS cordoned FROM cluster_actions`,
        )
        .get() as { evicted: number; cordoned: number };
      return {
        toolRuns: Object.fromEntries((runs as { tool: string; n: number }[]).map(({ tool, n }) => [tool, n])),
        bank: charges.map(chargeOf),
        cluster: { node: "node-7", cordoned: cordoned === 1, pods: PODS - evicted, evicted },
      };
    });
  }

  /** Changes whenever another process changed the world. */
  version(): unknown {
    return this.#database.pragma("data_version", { simple: true });
  }

  close(): void {
    this.#database.close();
  }
}

const now = (): string => new Date().toISOString();

function chargeOf({ id, amount, order_id, at, idempotency_key }: ChargeRow): Charge {
  return {
    id,
    amount,
    order: order_id,
    at,
    ...(idempotency_key !== null && { idempotencyKey: idempotency_key }),
  };
}
