/** What the line under the timeline says of what is hovered or focused. */
import { type Bar, howItEnded, isLease, type Lane, type Mark, tellLease } from "@/lib/client/lanes";
import { clock } from "./words";

/** The facts of the bar, mark or end with this cursor; null if it is not drawn. */
export function factsOf(lanes: Lane[], sequence: number): string | null {
  for (const lane of lanes) {
    if (lane.endSequence === sequence) return factsOfEnd(lane);
    const bar = lane.bars.find((bar) => bar.sequence === sequence);
    if (bar) return factsOfBar(bar, lane);
    const mark = lane.marks.find((mark) => mark.sequence === sequence);
    if (mark) return factsOfMark(mark);
  }
  return null;
}

/** What a mark without a tool is about. */
const WHOLE: Partial<Record<Mark["kind"], string>> = { paused: "The process", continued: "The process" };

const moment = (time: number | null): string => clock(new Date(time ?? 0).toISOString(), 3);
const seconds = ({ from, to }: Bar): string => `${(((to ?? from) - from) / 1000).toFixed(1)} s`;

/** Without how long it has been running: a label that changes with every tick would be read out with every tick. */
export function factsOfBar(bar: Bar, lane: Lane): string {
  const { tool, attempt, repeated, from, outcome, sequence } = bar;
  if (isLease(bar)) {
    const said = tellLease(bar);
    return `${said.charAt(0).toUpperCase()}${said.slice(1)}. By pid ${lane.pid} at ${moment(from)}. Event ${sequence}.`;
  }
  const ended = () => {
    if (outcome === "running") return "still running";
    if (outcome !== "cut") return `${outcome} after ${seconds(bar)}`;
    // Found dead is when somebody looked.
    if (lane.how === "found dead") return "unfinished when its process was found dead";
    return `cut ${seconds(bar)} in, when its process ${howItEnded(lane)}`;
  };
  const name = `${tool}, attempt ${attempt}${repeated ? ", again" : ""}`;
  return `${name}: started at ${moment(from)} by pid ${lane.pid}, ${ended()}. Event ${sequence}.`;
}

export function factsOfMark({ kind, at, tool, by, from, sequence }: Mark): string {
  const who = `${by ? ` by ${by}` : ""}${from ? `, since ${from} holds it` : ""}`;
  return `${tool ?? WHOLE[kind] ?? "The run"}: ${kind}${who} at ${moment(at)}. Event ${sequence}.`;
}

export function factsOfEnd(lane: Lane): string {
  return `pid ${lane.pid} ${howItEnded(lane)} at ${moment(lane.endedAt)}. Event ${lane.endSequence}.`;
}
