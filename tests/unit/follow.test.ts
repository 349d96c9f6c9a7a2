import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { follow } from "../../lib/log/follow";
import { openSqliteStore, type Store } from "../../lib/store";

describe("following the log", () => {
  let directory: string;
  let reader: Store;
  let writer: Store;
  let stop: AbortController;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "relight-follow-"));
    const path = join(directory, "relight.db");
    reader = openSqliteStore({ path, create: { log: "log-1", source: "/relight/test", after: 0 } });
    writer = openSqliteStore({ path });
    stop = new AbortController();
  });
  afterEach(() => {
    reader.close();
    writer.close();
    rmSync(directory, { recursive: true });
  });

  const write = (count: number, subject = "a") =>
    writer.commit({
      subject,
      events: Array.from({ length: count }, () => ({ type: "t", subject, data: {} })),
    });

  /** Follows until so many events came, telling `at` of each one's cursor. */
  async function take(count: number, options: { after: number; subject?: string }, at = (_: number) => {}) {
    const cursors: number[] = [];
    for await (const { sequence } of follow(reader, { ...options, signal: stop.signal })) {
      cursors.push(sequence);
      at(sequence);
      if (cursors.length === count) break;
    }
    return cursors;
  }
  const range = (from: number, to: number) =>
    Array.from({ length: to - from + 1 }, (_, index) => from + index);

  test("gives what is there and what comes, once each and in order, also past one page", async () => {
    await write(700);
    const seen = take(703, { after: 0 }, (cursor) => {
      if (cursor === 700) void write(3);
    });
    expect(await seen).toEqual(range(1, 703));
  });

  test("starts after its cursor, and waits where nothing is there yet", async () => {
    await write(3);
    const seen = take(2, { after: 2 }, (cursor) => {
      if (cursor === 3) void write(1);
    });
    expect(await seen).toEqual([3, 4]);
  });

  test("of one subject skips the others", async () => {
    await write(2, "a");
    await write(2, "b");
    await write(1, "a");
    expect(await take(3, { after: 0, subject: "a" })).toEqual([1, 2, 5]);
  });

  test("ends when it is told to, also while it waits", async () => {
    await write(1);
    const seen = take(99, { after: 0 }, () => setImmediate(() => stop.abort()));
    expect(await seen).toEqual([1]);
  });
});
