/** Opens SQLite files the one way that this project trusts: each commit is on disk before anybody acts on it. */
import { setTimeout as sleep } from "node:timers/promises";
import Database from "better-sqlite3";
import { RelightError } from "../errors";

export type { Database } from "better-sqlite3";

/** How long a statement may block the event loop for a lock; after it the wait goes on asynchronously. */
const BUSY_MS = 100;
/** How long a write waits for a lock in all. */
const PATIENCE_MS = 15_000;

export interface OpenOptions {
  path: string;
  /** Forward only, numbered by their place; each runs once, in a transaction. */
  migrations: readonly string[];
  /** Makes the file; otherwise it must be there. */
  create: boolean;
}

/** @throws UNAVAILABLE if it is not there, cannot be read, or was written by a newer version */
export function openDatabase({ path, migrations, create }: OpenOptions): Database.Database {
  try {
    const database = new Database(path, { fileMustExist: !create, timeout: BUSY_MS });
    try {
      // A first open sets WAL and migrates; others wait for it here, where nothing else runs yet.
      database.pragma("busy_timeout = 5000");
      database.pragma("journal_mode = WAL");
      database.pragma("synchronous = FULL");
      database.pragma("foreign_keys = ON");
      if (database.pragma("synchronous", { simple: true }) !== 2) throw new Error("synchronous is not FULL");
      migrate(database, migrations, create);
      database.pragma(`busy_timeout = ${BUSY_MS}`);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw unavailable(error, path);
  }
}

function migrate(database: Database.Database, migrations: readonly string[], create: boolean): void {
  const versionNow = () => database.pragma("user_version", { simple: true }) as number;
  // Looked at without the lock: a frozen process may hold it, and has to be found before it can be killed.
  if (versionNow() === migrations.length) return;
  if (versionNow() === 0 && !create) throw new Error("it was not made by Relight");
  database
    .transaction(() => {
      const version = versionNow();
      if (version > migrations.length) {
        throw new Error(`it has version ${version}, and this Relight knows ${migrations.length} at most`);
      }
      for (const sql of migrations.slice(version)) database.exec(sql);
      database.pragma(`user_version = ${migrations.length}`);
    })
    .immediate();
}

/**
 * Runs a write transaction; where another process holds the lock, waits without holding up this one's event loop.
 * @throws UNAVAILABLE when the lock is not to be had, or the disk fails; whatever `work` throws
 */
export async function write<T>(database: Database.Database, work: () => T): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return database.transaction(work).immediate();
    } catch (error) {
      if (!database.open) throw unavailable(error, database.name);
      if (!isSqliteError(error)) throw error;
      if (!error.code.startsWith("SQLITE_BUSY") || Date.now() > deadline)
        throw unavailable(error, database.name);
      await sleep(5 + Math.random() * 20);
    }
  }
}

/** Runs a read. A failure is UNAVAILABLE, never "not found". */
export async function read<T>(database: Database.Database, work: () => T): Promise<T> {
  try {
    return work();
  } catch (error) {
    throw isSqliteError(error) || !database.open ? unavailable(error, database.name) : error;
  }
}

function isSqliteError(error: unknown): error is InstanceType<typeof Database.SqliteError> {
  return error instanceof Error && error.name === "SqliteError";
}

function unavailable(error: unknown, path: string): RelightError {
  const cause = error instanceof Error ? error.message : String(error);
  return new RelightError("UNAVAILABLE", `The database cannot be used: ${cause}.`, { path });
}
