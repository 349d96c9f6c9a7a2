import { expect, test } from "vitest";
import { axisOf, inWords, placed } from "../../lib/client/axis";
import type { Bar, Lane, Lanes, Mark } from "../../lib/client/lanes";

/** Times are seconds here, and milliseconds there. */
const lane = (
  startedAt: number,
  endedAt: number | null,
  bars: [number, number | null][] = [],
  marks: number[] = [],
): Lane => ({
  agent: "a",
  pid: 101,
  fence: 1,
  startedAt: startedAt * 1000,
  endedAt: endedAt === null ? null : endedAt * 1000,
  end: endedAt === null ? null : "killed",
  how: null,
  bars: bars.map(([from, to]) => ({ from: from * 1000, to: to === null ? null : to * 1000 }) as Bar),
  marks: marks.map((at) => ({ at: at * 1000 }) as Mark),
  rows: 1,
  sequence: startedAt,
  endSequence: null,
});

const lanes = (to: number, ...lanes: Lane[]): Lanes => ({
  lanes,
  from: 0,
  to: to * 1000,
  earlier: { processes: 0, attempts: 0 },
});

const axis = (timeline: Lanes, now: number) => {
  const { at, breaks, second } = axisOf(timeline, now * 1000);
  return {
    breaks: breaks.map(({ from, to }) => [from / 1000, to / 1000]),
    second,
    at: (seconds: number) => at(seconds * 1000),
    length: (from: number, to: number) => (at(to * 1000) - at(from * 1000)) / second,
  };
};

test("a long gap is drawn as two seconds; what is in it or after it keeps its order and its length", () => {
  const decidedLate = lanes(64, lane(0, 3.5, [[0.1, 1.5]], [63.5]), lane(64, null, [[64, null]]));
  const { at, breaks, length } = axis(decidedLate, 66);
  expect(breaks).toEqual([[3.5, 63.5]]);
  expect(length(0, 3.5)).toBeCloseTo(3.5);
  expect(length(3.5, 63.5)).toBeCloseTo(2);
  expect(length(3.5, 33.5)).toBeCloseTo(1);
  expect(length(64, 66)).toBeCloseTo(2);
  expect(at(0)).toBe(0);
  expect(at(66)).toBeLessThanOrEqual(1);
});

test("several gaps are each drawn short; what another process does in it makes it no gap", () => {
  const busy = lane(0, 40, [[10, 30]]);
  expect(axis(lanes(40, busy), 0).breaks).toEqual([
    [0, 10],
    [30, 40],
  ]);
  expect(axis(lanes(40, busy, lane(1, 12, [[1, 11]])), 0).breaks).toEqual([[30, 40]]);
});

test("a running attempt is no gap, however long it runs; a process that does nothing is one", () => {
  expect(axis(lanes(1, lane(0, null, [[1, null]])), 300).breaks).toEqual([]);
  const idle = lanes(2, lane(0, null, [[1, 2]]));
  expect(axis(idle, 4).breaks).toEqual([]);
  expect(axis(idle, 300).breaks).toEqual([[2, 300]]);
  // It stops growing where the break begins: nothing jumps.
  expect(axis(idle, 4).at(4)).toBeCloseTo(axis(idle, 300).at(300));
});

test("the axis grows in steps, and not at all once nothing lives or where the clock is behind the log", () => {
  const running = lanes(0.1, lane(0, null, [[0.1, null]]));
  expect(axis(running, 1).second).toBe(axis(running, 3.9).second);
  expect(axis(running, 4.1).second).toBeLessThan(axis(running, 3.9).second);
  expect(axis(running, -60).at(0.1)).toBeGreaterThan(0);
  const over = lanes(5, lane(0, 5, [[1, 4]]));
  expect(axis(over, 5).second).toBe(axis(over, 5000).second);
});

test("lengths in words", () => {
  expect([2100, 59_400, 252_000, 7_300_000].map(inWords)).toEqual(["2 s", "59 s", "4 min", "2 h"]);
});

test("labels get the longest text that has room, and never run into one another", () => {
  const texts = ["0123456789", "0123", "0"];
  const wants = (...places: number[]) => places.map((x) => ({ x, texts }));
  expect(placed(wants(0, 50, 95), 160, 10)).toEqual([
    { x: 0, text: "0123" },
    { x: 50, text: "0" },
    { x: 95, text: "0123" },
  ]);
  // The last one moves to the left where the line ends.
  expect(placed(wants(90), 100, 10)).toEqual([{ x: 0, text: "0123456789" }]);
  // Two that want the same place stand side by side.
  expect(placed(wants(5, 5), 200, 10)).toEqual([
    { x: 5, text: "0123456789" },
    { x: 111, text: "0123" },
  ]);
  expect(placed(wants(0, 0, 0, 0), 30, 10).filter(({ text }) => text !== "").length).toBeLessThan(3);
});
