/** Which events a table shows, and on which of its lines. Pure; everything here is called for logs of many thousands. */
import { type Envelope, shortType } from "../log/event";

type Rows = readonly Envelope[];

/** What a reader may want to see alone. A type may be in two of them: an interrupted run is news of both. */
const GROUPS = [
  { id: "calls", label: "calls", starts: ["call."] },
  {
    id: "processes",
    label: "processes",
    starts: ["agent.started", "agent.stopped", "agent.crashed", "runtime."],
  },
  { id: "runs", label: "runs", starts: ["run.", "ask.", "turn."] },
  { id: "records", label: "records & workers", starts: ["record.", "field.", "checkpoint.", "worker."] },
  { id: "interrupts", label: "interrupts & decisions", starts: ["interrupt.", "run.interrupted"] },
] as const;

export const ALL = "all";

interface Choice {
  /** `all`, a group's name, or a type. */
  id: string;
  label: string;
  count: number;
}

const isOf = ({ starts }: (typeof GROUPS)[number], type: string): boolean =>
  starts.some((start) => shortType(type).startsWith(start));

/** What can be chosen, with how much there is of it: everything, the groups, and each type that is there. */
export function choices(events: Rows): { groups: Choice[]; types: Choice[] } {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  const types = [...counts]
    .map(([type, count]) => ({ id: type, label: shortType(type), count }))
    .sort((a, b) => (a.label < b.label ? -1 : 1));
  const groups = GROUPS.map((group) => ({
    id: group.id,
    label: group.label,
    count: types.reduce((sum, { id, count }) => sum + (isOf(group, id) ? count : 0), 0),
  }));
  return { groups: [{ id: ALL, label: "all types", count: events.length }, ...groups], types };
}

/** The events of a choice. All of them are the same array: the common case copies nothing. */
export function choose(events: Rows, choice: string): Rows {
  if (choice === ALL) return events;
  const group = GROUPS.find(({ id }) => id === choice);
  if (!group) return events.filter(({ type }) => type === choice);
  const types = new Map<string, boolean>();
  return events.filter(({ type }) => {
    let taken = types.get(type);
    if (taken === undefined) {
      taken = isOf(group, type);
      types.set(type, taken);
    }
    return taken;
  });
}

/** How many rows stand at or before a cursor. */
export function countUpTo(rows: Rows, sequence: number): number {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.sequence ?? 0) <= sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The row of an event, or -1. */
export function rowOf(rows: Rows, sequence: number): number {
  const row = countUpTo(rows, sequence) - 1;
  return rows[row]?.sequence === sequence ? row : -1;
}

/** Where a row stands among its neighbours that were written with it. */
export type Place = "alone" | "first" | "middle" | "last";

export function placeOf(rows: Rows, row: number): Place {
  const commit = rows[row]?.commit;
  const before = row > 0 && rows[row - 1]?.commit === commit;
  const after = row + 1 < rows.length && rows[row + 1]?.commit === commit;
  if (before) return after ? "middle" : "last";
  return after ? "first" : "alone";
}

/** The open ones among the rows, in order. */
export function openRows(rows: Rows, open: ReadonlySet<number>): number[] {
  return [...open]
    .map((sequence) => rowOf(rows, sequence))
    .filter((row) => row >= 0)
    .sort((a, b) => a - b);
}

/** A table's line is a row, or the JSON below an open row. */
export interface Line {
  row: number;
  json: boolean;
}

/** What stands on a line: each open row before it moved it down by one. */
export function lineAt(open: readonly number[], index: number): Line {
  let moved = 0;
  for (const row of open) {
    if (index <= row + moved) break;
    if (index === row + moved + 1) return { row, json: true };
    moved++;
  }
  return { row: index - moved, json: false };
}

/** The line on which a row stands. */
export function lineOf(open: readonly number[], row: number): number {
  return row + open.filter((other) => other < row).length;
}
