import { randomUUID } from "node:crypto";
import { crashPoint } from "../crash-point";
import { RelightError } from "../errors";
import type { Lease } from "../leases/lease";
import { type Draft, type Envelope, type Page, shortType } from "../log/event";
import { type Database, openDatabase, read, write } from "./database";
import { migrations } from "./migrations";
import type { Commit, Committed, LeaseStep, ReadOptions, Store, Subject } from "./store";

/** How often another process's commits are looked for. `PRAGMA data_version` reads shared memory: it costs microseconds. */
const WATCH_MS = 20;

export interface SqliteStoreOptions {
  /** The file. */
  path: string;
  /** Makes a new log in it; otherwise it must be one. */
  create?: { log: string; source: string; after: number };
  /** Epoch milliseconds; the clock that leases are judged by and events dated with. */
  now?: () => number;
}

/** @throws UNAVAILABLE if the file cannot be used */
export function openSqliteStore(options: SqliteStoreOptions): Store {
  return new SqliteStore(options);
}

interface EventRow {
  sequence: number;
  commit_sequence: number;
  id: string;
  subject: string;
  type: string;
  time: string;
  data: string;
}

interface LeaseRow {
  resource: string;
  fence: number;
  holder: string;
  ttl_ms: number | null;
  expires_at: number | null;
  pid: number | null;
  birth: string | null;
  status: Lease["status"];
}

class SqliteStore implements Store {
  readonly log: string;
  readonly #source: string;
  readonly base: number;
  readonly #database: Database;
  readonly now: () => number;
  readonly #sql: ReturnType<typeof prepare>;
  readonly #watchers = new Set<() => void>();
  #watch: NodeJS.Timeout | undefined;

  constructor({ path, create, now = Date.now }: SqliteStoreOptions) {
    this.now = now;
    this.#database = openDatabase({ path, migrations, create: create !== undefined });
    if (create) begin(this.#database, create);
    const meta = new Map(
      (this.#database.prepare("SELECT key, value FROM meta").all() as { key: string; value: string }[]).map(
        ({ key, value }) => [key, value],
      ),
    );
    this.log = meta.get("log") ?? "";
    this.#source = meta.get("source") ?? "";
    this.base = Number(meta.get("after") ?? 0);
    this.#sql = prepare(this.#database);
  }

  async commit<E extends Envelope = Envelope>(commit: Commit): Promise<Committed<E>> {
    if (Array.isArray(commit.events)) {
      // Before the lock is asked for: a process that freezes here holds up nobody.
      for (const { type } of commit.events) crashPoint(`before-${pointOf(type)}`);
    }
    const committed = await write(this.#database, () => this.#write(commit));
    for (const { type } of committed.events) crashPoint(`after-${pointOf(type)}`);
    this.#notify();
    return committed as Committed<E>;
  }

  #write({ subject, position, leases: steps = [], events, unfinished, revives = false }: Commit): Committed {
    const retired = this.#sql.retired.get() !== undefined;
    if (retired && !revives) throw new RelightError("RESET", "This log was thrown away by a reset.");
    const now = this.now();
    const at = (this.#sql.position.get(subject) as { position: number } | undefined)?.position ?? 0;
    if (position !== undefined && position !== at) {
      throw new RelightError("BEHIND", `${subject} moved from ${position} to ${at}.`, { position: at });
    }
    const leases = steps.map((step) => this.#decide(step, now));
    if (retired) this.#sql.revive.run();
    const drafts = typeof events === "function" ? events(leases) : events;
    const written = this.#append(drafts, new Date(now).toISOString());
    const cursor = written.at(-1)?.sequence ?? at;
    this.#sql.putSubject.run({
      subject,
      position: cursor,
      unfinished: unfinished === undefined ? null : Number(unfinished),
    });
    for (const { type } of written) crashPoint(`inside-${pointOf(type)}`);
    return { log: this.log, cursor, events: written, leases };
  }

  #decide({ resource, decide }: LeaseStep, now: number): Lease {
    const before = this.#lease(resource);
    const after = decide(before, now);
    if (after !== before) {
      this.#sql.putLease.run({
        ...after,
        pid: after.process?.pid ?? null,
        birth: after.process?.birth ?? null,
      });
    }
    return after;
  }

  #append(drafts: Draft[], time: string): Envelope[] {
    let commit = 0;
    return drafts.map(({ type, subject, data }) => {
      const id = randomUUID();
      const text = JSON.stringify(data);
      if (commit === 0) commit = (this.#sql.nextSequence.get() as { next: number }).next;
      const { lastInsertRowid } = this.#sql.append.run(commit, id, subject, type, time, text);
      const row = {
        sequence: Number(lastInsertRowid),
        commit_sequence: commit,
        id,
        subject,
        type,
        time,
        data: text,
      };
      return this.#event(row);
    });
  }

  #event({ sequence, commit_sequence, id, subject, type, time, data }: EventRow): Envelope {
    return {
      specversion: "1.0",
      id,
      source: this.#source,
      type,
      subject,
      time,
      datacontenttype: "application/json",
      sequence,
      commit: commit_sequence,
      data: JSON.parse(data) as unknown,
    };
  }

  read<E extends Envelope = Envelope>({ after = 0, limit, subject }: ReadOptions): Promise<Page<E>> {
    return read(this.#database, () => {
      // One more than asked for tells whether there is more.
      const rows = (
        subject === undefined
          ? this.#sql.readAll.all(after, limit + 1)
          : this.#sql.readSubject.all(subject, after, limit + 1)
      ) as EventRow[];
      const events = rows.slice(0, limit).map((row) => this.#event(row) as E);
      return {
        log: this.log,
        events,
        cursor: events.at(-1)?.sequence ?? Math.max(after, this.base),
        more: rows.length > limit,
      };
    });
  }

  head(): Promise<number> {
    return read(this.#database, () => (this.#sql.head.get() as { head: number | null }).head ?? this.base);
  }

  lease(resource: string): Promise<Lease | null> {
    return read(this.#database, () => this.#lease(resource));
  }

  openLeases(): Promise<Lease[]> {
    return read(this.#database, () => (this.#sql.openLeases.all() as LeaseRow[]).map(leaseOf));
  }

  subjects(): Promise<Subject[]> {
    return read(this.#database, () =>
      (this.#sql.subjects.all() as (Omit<Subject, "unfinished"> & { unfinished: number })[]).map((row) => ({
        ...row,
        unfinished: row.unfinished === 1,
      })),
    );
  }

  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    if (!this.#watch) {
      let version = this.#version();
      this.#watch = setInterval(() => {
        const now = this.#version();
        if (now === version) return;
        version = now ?? version;
        this.#notify();
      }, WATCH_MS);
      this.#watch.unref();
    }
    return () => {
      this.#watchers.delete(changed);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#watch);
      this.#watch = undefined;
    };
  }

  async retire(retired: boolean): Promise<void> {
    if (retired === (this.#sql.retired.get() !== undefined)) return;
    await write(this.#database, () => (retired ? this.#sql.retire : this.#sql.revive).run());
  }

  close(): void {
    clearInterval(this.#watch);
    this.#database.close();
    // Whoever still waits for a change learns that none will come.
    this.#notify();
    this.#watchers.clear();
  }

  #lease(resource: string): Lease | null {
    const row = this.#sql.lease.get(resource) as LeaseRow | undefined;
    return row ? leaseOf(row) : null;
  }

  /** Changes whenever another connection committed. */
  #version(): unknown {
    try {
      return this.#database.pragma("data_version", { simple: true });
    } catch {
      // Whoever reads next learns what is wrong; nobody hears a timer.
      return undefined;
    }
  }

  #notify(): void {
    for (const changed of [...this.#watchers]) changed();
  }
}

function prepare(database: Database) {
  return {
    retired: database.prepare("SELECT 1 FROM meta WHERE key = 'retired'"),
    retire: database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('retired', '1')"),
    revive: database.prepare("DELETE FROM meta WHERE key = 'retired'"),
    position: database.prepare("SELECT position FROM subjects WHERE subject = ?"),
    nextSequence: database.prepare("SELECT seq + 1 AS next FROM sqlite_sequence WHERE name = 'events'"),
    append: database.prepare(
      "INSERT INTO events (commit_sequence, id, subject, type, time, data) VALUES (?, ?, ?, ?, ?, ?)",
    ),
    putSubject: database.prepare(
      `INSERT INTO subjects (subject, position, unfinished) VALUES (@subject, @position, coalesce(@unfinished, 0))
       ON CONFLICT (subject) DO UPDATE SET position = @position, unfinished = coalesce(@unfinished, unfinished)`,
    ),
    putLease: database.prepare(
      `INSERT OR REPLACE INTO leases (resource, fence, holder, ttl_ms, expires_at, pid, birth, status)
       VALUES (@resource, @fence, @holder, @ttlMs, @expiresAt, @pid, @birth, @status)`,
    ),
    lease: database.prepare("SELECT * FROM leases WHERE resource = ?"),
    openLeases: database.prepare("SELECT * FROM leases WHERE status = 'open' ORDER BY resource"),
    subjects: database.prepare("SELECT subject, position, unfinished FROM subjects ORDER BY subject"),
    head: database.prepare("SELECT max(sequence) AS head FROM events"),
    readAll: database.prepare("SELECT * FROM events WHERE sequence > ? ORDER BY sequence LIMIT ?"),
    readSubject: database.prepare(
      "SELECT * FROM events WHERE subject = ? AND sequence > ? ORDER BY sequence LIMIT ?",
    ),
  };
}

function begin(database: Database, { log, source, after }: NonNullable<SqliteStoreOptions["create"]>): void {
  const put = database.prepare("INSERT INTO meta (key, value) VALUES (?, ?)");
  database
    .transaction(() => {
      put.run("log", log);
      put.run("source", source);
      put.run("after", String(after));
      // Cursors go on from the log before this one.
      database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)").run(after);
    })
    .immediate();
}

function leaseOf({ resource, fence, holder, ttl_ms, expires_at, pid, birth, status }: LeaseRow): Lease {
  return {
    resource,
    fence,
    holder,
    ttlMs: ttl_ms,
    expiresAt: expires_at,
    process: pid === null || birth === null ? null : { pid, birth },
    status,
  };
}

/** `relight.call.started` → `call-started` */
const pointOf = (type: string): string => shortType(type).replaceAll(".", "-");
