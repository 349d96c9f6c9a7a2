import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Draft } from "../../lib/log/event";
import { openDatabase, openSqliteStore, type Store } from "../../lib/store";
import { migrations } from "../../lib/store/migrations";
import { refusal } from "./refusal";
import type { Place, PlaceOptions } from "./store-bench";
import { storeContract } from "./store-contract";

const newDirectory = (): string => mkdtempSync(join(tmpdir(), "relight-store-"));

function place({ after, now }: PlaceOptions): Place {
  const directory = newDirectory();
  const path = join(directory, "relight.db");
  const opened: Store[] = [];
  return {
    open(): Store {
      const create = opened.length === 0 ? { log: "log-1", source: "/relight/test", after } : undefined;
      const store = openSqliteStore({ path, create, now });
      opened.push(store);
      return store;
    },
    remove(): void {
      for (const store of opened) store.close();
      rmSync(directory, { recursive: true });
    },
  };
}

storeContract("SQLite", place);

describe("the SQLite store", () => {
  const note: Draft = { type: "relight.note", subject: "a", data: {} };
  let directory: string;
  let path: string;
  let store: Store;
  let raw: Sqlite.Database;

  beforeEach(() => {
    directory = newDirectory();
    path = join(directory, "relight.db");
    store = openSqliteStore({ path, create: { log: "log-1", source: "/relight/test", after: 0 } });
    raw = new Sqlite(path);
  });
  afterEach(() => {
    store.close();
    raw.close();
    rmSync(directory, { recursive: true });
  });

  test("has each commit on disk when it says so: WAL, and synchronous FULL on every connection", () => {
    for (const create of [true, false]) {
      const file = join(directory, "other.db");
      const database = openDatabase({ path: file, migrations, create });
      const settings = ["journal_mode", "synchronous", "foreign_keys"].map((name) =>
        database.pragma(name, { simple: true }),
      );
      database.close();
      expect(settings).toEqual(["wal", 2, 1]);
    }
  });

  test("refuses to change or remove an event, whoever asks", async () => {
    await store.commit({ subject: "a", events: [note] });
    const before = await store.read({ limit: 10 });
    expect(() => raw.prepare("UPDATE events SET data = '{}'").run()).toThrow("append-only");
    expect(() => raw.prepare("DELETE FROM events").run()).toThrow("append-only");
    expect(await store.read({ limit: 10 })).toEqual(before);
  });

  test("never gives a cursor twice, also across the log before it", async () => {
    const file = join(directory, "next.db");
    const next = openSqliteStore({ path: file, create: { log: "log-2", source: "/relight/test", after: 9 } });
    const { events } = await next.commit({ subject: "a", events: [note] });
    next.close();
    const again = openSqliteStore({ path: file });
    const later = await again.commit({ subject: "a", events: [note] });
    again.close();
    expect([events[0]?.sequence, later.events[0]?.sequence]).toEqual([10, 11]);
    expect([events[0]?.commit, later.events[0]?.commit]).toEqual([10, 11]);
  });

  test("is the same log when it is opened again", async () => {
    const { events } = await store.commit({ subject: "a", events: [note], unfinished: true });
    const again = openSqliteStore({ path });
    const found = { log: again.log, page: await again.read({ limit: 10 }), subjects: await again.subjects() };
    again.close();
    expect(found).toMatchObject({
      log: "log-1",
      page: { events },
      subjects: [{ subject: "a", position: 1, unfinished: true }],
    });
  });

  test("refuses a file of a newer version, saying which it is and which it knows", () => {
    raw.pragma("user_version = 99");
    const error = refusal(() => openSqliteStore({ path }));
    expect(error.code).toBe("UNAVAILABLE");
    expect(error.message).toContain(`version 99, and this Relight knows ${migrations.length}`);
  });

  test("does not make a file that it was not told to make", () => {
    const missing = join(directory, "missing.db");
    expect(refusal(() => openSqliteStore({ path: missing })).code).toBe("UNAVAILABLE");
    expect(refusal(() => openSqliteStore({ path: join(directory, "no", "such.db") })).code).toBe(
      "UNAVAILABLE",
    );
    expect(() => new Sqlite(missing, { fileMustExist: true })).toThrow();
  });

  test("waits for another process's write lock with the event loop free", async () => {
    raw.exec("BEGIN IMMEDIATE");
    let settled = false;
    const commit = store.commit({ subject: "a", events: [note] }).finally(() => {
      settled = true;
    });
    // These timers fire while the lock is held: were the loop blocked until it is free, it never would be.
    for (let timer = 0; timer < 3; timer++) await sleep(100);
    expect(settled).toBe(false);
    raw.exec("COMMIT");
    expect((await commit).cursor).toBe(1);
  });

  test("can be read while another process holds the write lock", async () => {
    await store.commit({ subject: "a", events: [note] });
    raw.exec("BEGIN IMMEDIATE");
    expect((await store.read({ limit: 10 })).events).toHaveLength(1);
    // Opening waits for nobody either: a frozen holder has to be found before it can be killed.
    openSqliteStore({ path }).close();
    raw.exec("ROLLBACK");
  });

  test("shows nobody half a commit: what a process wrote before it died is undone", async () => {
    const dying = new Sqlite(path);
    dying.exec("BEGIN IMMEDIATE");
    dying
      .prepare(
        "INSERT INTO events (commit_sequence, id, subject, type, time, data) VALUES (1, 'x', 'a', 't', '', '{}')",
      )
      .run();
    expect((await store.read({ limit: 10 })).events).toEqual([]);
    dying.close();
    expect((await store.commit({ subject: "a", events: [note] })).cursor).toBe(1);
    expect((await store.read({ limit: 10 })).events).toHaveLength(1);
  });
});
