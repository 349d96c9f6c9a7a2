/**
 * What a runtime cannot roll back: a bank, a warehouse, a cluster, and a count of how often each tool really ran. It
 * stands for other people's systems, so it has a database of its own, which no transaction of ours covers. Rows are
 * appended and dated, never changed.
 */
import { randomUUID } from "node:crypto";
import { crashPoint } from "../crash-point";
import { type Database, openDatabase, read, write } from "../store";
import { type Act, type Charge, type WorldView, worldOf } from "./view";

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

interface ActRow {
  at: string;
  did: Act["did"];
  tool: string | null;
  pods: number | null;
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

  /** The cluster: no new pod comes to its node. */
  cordon(): Promise<void> {
    return this.#act("cordon", 0);
  }

  /** The cluster: evicts so many pods of its node. */
  evict(pods: number): Promise<void> {
    return this.#act("evict", pods);
  }

  #act(action: "cordon" | "evict", pods: number): Promise<void> {
    return write(this.#database, () => {
      const sql = "INSERT INTO cluster_actions (action, pods, at) VALUES (?, ?, ?)";
      this.#database.prepare(sql).run(action, pods, now());
    });
  }

  view(): Promise<WorldView> {
    return read(this.#database, () => {
      const all = (sql: string) => this.#database.prepare(sql).all();
      const charges = all("SELECT * FROM charges ORDER BY at, rowid") as ChargeRow[];
      const acts = all(
        `SELECT at, 'run' AS did, tool, NULL AS pods, id FROM tool_runs
         UNION ALL SELECT at, action, NULL, pods, id FROM cluster_actions ORDER BY at, id`,
      ) as ActRow[];
      return worldOf(charges.map(chargeOf), acts.map(actOf));
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

function actOf({ at, did, tool, pods }: ActRow): Act {
  if (did === "run") return { at, did, tool: tool ?? "" };
  return did === "evict" ? { at, did, pods: pods ?? 0 } : { at, did };
}
