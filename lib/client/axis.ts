/** Where the things of a timeline are drawn: its time axis, and which labels have room. Pure. */
import type { Lanes } from "./lanes";

/** A stretch in which no attempt ran and nothing happened, drawn shorter than it was. */
interface Break {
  from: number;
  to: number;
}

export interface Axis {
  /** 0 at the left end, 1 at the right one. */
  at(time: number): number;
  breaks: Break[];
  /** What a second takes of the axis, outside of breaks. */
  second: number;
}

/** A longer gap is drawn as long as this: so one that grows stops growing, and nothing jumps when it does. */
const LONGEST_GAP = 2000;

/** Linear in what is drawn, but for sorting it. `now` is heeded only while something lives. */
export function axisOf({ lanes, from, to }: Lanes, now: number): Axis {
  const alive = lanes.some(({ endedAt }) => endedAt === null);
  const until = alive ? Math.max(now, to) : to;
  const busy = lanes.flatMap(({ startedAt, endedAt, bars, marks }): Break[] => [
    { from: startedAt, to: startedAt },
    { from: endedAt ?? until, to: endedAt ?? until },
    ...bars.map((bar) => ({ from: bar.from, to: bar.to ?? until })),
    ...marks.map(({ at }) => ({ from: at, to: at })),
  ]);
  const breaks: Break[] = [];
  let quietSince = from;
  for (const { from, to } of busy.sort((a, b) => a.from - b.from)) {
    if (from - quietSince > LONGEST_GAP) breaks.push({ from: quietSince, to: from });
    quietSince = Math.max(quietSince, to);
  }

  const drawn = (time: number) =>
    breaks.reduce((left, { from, to }) => {
      const inside = Math.min(Math.max(time - from, 0), to - from);
      return left - inside * (1 - LONGEST_GAP / (to - from));
    }, time - from);
  const whole = roomFor(drawn(until));
  return { at: (time) => drawn(time) / whole, breaks, second: 1000 / whole };
}

/** Grows in steps, so that while a bar grows into the room on its right nothing else moves. */
function roomFor(length: number): number {
  const step = length < 10_000 ? 2000 : length < 30_000 ? 5000 : 10_000;
  return Math.max(2 * step, Math.ceil(length / step) * step);
}

/** A length in a word: `12 s`, `4 min`, `2 h`. */
export function inWords(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}

/** A label that wants to start at `x`; the first of `texts` that has room is drawn. */
export interface Label {
  x: number;
  texts: string[];
}

/**
 * Which text each label gets, and where, so that none runs into the next one's place or over the end; "" has no room.
 * Labels that want the same place stand in a row there.
 * @param labels from left to right
 * @param character how wide a character is
 */
export function placed(labels: Label[], width: number, character: number): { x: number; text: string }[] {
  const short = WIDE * character + GAP;
  let free = 0;
  return labels.map(({ x, texts }, index) => {
    let after = index + 1;
    while ((labels[after]?.x ?? Number.POSITIVE_INFINITY) < x + short) after++;
    const next = labels[after];
    const room = (next ? next.x - GAP : width) - (after - index - 1) * short;
    for (const text of texts) {
      const length = lengthOf(text) * character;
      // Only where no other follows may it move to the left.
      const start = next ? Math.max(x, free) : Math.min(Math.max(x, free), room - length);
      if (start < free || start + length > room) continue;
      free = start + length + GAP;
      return { x: start, text };
    }
    return { x, text: "" };
  });
}

const GAP = 6;
/** What a monospaced font lacks, such as ①, comes from a wider one. */
const WIDE = 1.6;

/** In characters of the common width. */
const lengthOf = (text: string): number =>
  [...text].reduce((length, each) => length + (each > "\u2000" ? WIDE : 1), 0);
