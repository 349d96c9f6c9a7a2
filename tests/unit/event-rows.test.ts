import { expect, test } from "vitest";
import {
  ALL,
  choices,
  choose,
  countUpTo,
  lineAt,
  lineOf,
  openRows,
  placeOf,
  rowOf,
} from "../../lib/client/event-rows";
import type { Envelope } from "../../lib/log/event";

const event = (sequence: number, type: string, commit = sequence): Envelope => ({
  specversion: "1.0",
  id: String(sequence),
  source: "/relight/test",
  type: `relight.${type}`,
  subject: "acme/a",
  time: "2026-01-01T00:00:00.000Z",
  datacontenttype: "application/json",
  sequence,
  commit,
  data: {},
});

const log = [
  event(11, "runtime.started"),
  event(12, "run.started"),
  event(13, "turn.saved", 13),
  event(14, "call.started", 13),
  event(15, "agent.crashed"),
  event(16, "interrupt.opened", 16),
  event(17, "run.interrupted", 16),
  event(18, "something.new", 16),
];

const sequences = (rows: readonly Envelope[]) => rows.map(({ sequence }) => sequence);

test("each choice shows as many events as it says, and every type is one", () => {
  const { groups, types } = choices(log);
  for (const { id, count } of [...groups, ...types]) expect(choose(log, id), id).toHaveLength(count);
  expect(groups.map(({ label, count }) => `${label} ${count}`)).toEqual([
    "all types 8",
    "calls 1",
    "processes 2",
    "runs 3",
    "records & workers 0",
    "interrupts & decisions 2",
  ]);
  expect(types.map(({ label }) => label)).toContain("something.new");
  expect(types.reduce((sum, { count }) => sum + count, 0)).toBe(log.length);
});

test("all types are the log itself", () => {
  expect(choose(log, ALL)).toBe(log);
  expect(sequences(choose(log, "interrupts"))).toEqual([16, 17]);
  expect(sequences(choose(log, "relight.call.started"))).toEqual([14]);
});

test("a row is found by its cursor, whichever are not shown", () => {
  const rows = choose(log, "processes");
  expect(sequences(rows)).toEqual([11, 15]);
  expect([10, 11, 14, 15, 99].map((sequence) => countUpTo(rows, sequence))).toEqual([0, 1, 1, 2, 2]);
  expect([10, 11, 14, 15].map((sequence) => rowOf(rows, sequence))).toEqual([-1, 0, -1, 1]);
  expect(rowOf([], 1)).toBe(-1);
});

test("rows that were written together stand together", () => {
  expect(log.map((_, row) => placeOf(log, row))).toEqual([
    "alone",
    "alone",
    "first",
    "last",
    "alone",
    "first",
    "middle",
    "last",
  ]);
  const calls = choose(log, "calls");
  expect(placeOf(calls, 0)).toBe("alone");
});

test("an open row's JSON is the line below it, and every line is found again", () => {
  const open = openRows(log, new Set([17, 11, 12, 99]));
  expect(open).toEqual([0, 1, 6]);
  const lines = Array.from({ length: log.length + open.length }, (_, index) => lineAt(open, index));
  expect(lines.map(({ row, json }) => `${row}${json ? "j" : ""}`).join(" ")).toBe("0 0j 1 1j 2 3 4 5 6 6j 7");
  lines.forEach(({ row, json }, index) => {
    if (!json) expect(lineOf(open, row)).toBe(index);
  });
});
