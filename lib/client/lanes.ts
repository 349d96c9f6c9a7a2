/** The processes of a log as the lanes of a timeline: what each started, how far it got, and how it ended. Pure. */
import type { AgentEvent, AgentEvents } from "../agents/events";
import { howItDied } from "../agents/state";
import type { Envelope } from "../log/event";

/** One start of a call, by the process in whose lane it is. Times are milliseconds since 1970. */
export interface Bar {
  call: string;
  tool: string;
  attempt: number;
  /** The work was started before, by an attempt that did not finish. */
  repeated: boolean;
  from: number;
  to: number | null;
  /** `cut`: its process ended before the tool did. */
  outcome: "completed" | "failed" | "cut" | "running";
  /** Calls that run at the same time have rows of their own. */
  row: number;
  /** The cursor of its `call.started`. */
  sequence: number;
}

/** Something that happened at a moment. It has a tool if it is about a call, and is about the run otherwise. */
export interface Mark {
  at: number;
  kind: "in doubt" | "approved" | "denied" | "interrupted" | "completed" | "failed";
  sequence: number;
  tool?: string;
  by?: string;
}

/** One process of an agent: its life. */
export interface Lane {
  agent: string;
  pid: number;
  fence: number;
  startedAt: number;
  /** Null while it lives. */
  endedAt: number | null;
  end: "killed" | "stopped" | null;
  /** `killed by SIGKILL`, `exited with 1`, `found dead`, `idle`, …; null while it lives. */
  how: string | null;
  bars: Bar[];
  /** Beyond its end too, until the agent's next process: a decision needs none. */
  marks: Mark[];
  /** How many rows its bars take; at least 1. */
  rows: number;
  /** The cursor of its `agent.started`. */
  sequence: number;
  /** The cursor of what ended it. */
  endSequence: number | null;
}

export interface Lanes {
  /** One agent's lanes together, each agent's in order of their start. */
  lanes: Lane[];
  from: number;
  /** The latest thing that the log tells of them. */
  to: number;
  /** What was before, and is not drawn. */
  earlier: { processes: number; attempts: number };
}

/** What has been read so far. */
interface Reading {
  lanes: Lane[];
  /** The latest lane by agent. */
  latest: Map<string, Lane>;
  /** Bars without an end, by call. */
  running: Map<string, Bar>;
  /** Tools of calls that were doubted: a decision names its call only. */
  doubted: Map<string, string>;
  /** The last bar of each row. */
  rows: Map<Lane, Bar[]>;
}

/** So many attempts and marks, and so many processes, can still be told apart. */
const MOST = { things: 60, processes: 8 };

/**
 * Reads a log, in one pass.
 * @param most what is drawn of it: the latest of all agents
 */
export function lanesOf(events: readonly Envelope[], most: Partial<typeof MOST> = {}): Lanes {
  const reading: Reading = {
    lanes: [],
    latest: new Map(),
    running: new Map(),
    doubted: new Map(),
    rows: new Map(),
  };
  for (const event of events) {
    // An agent's id has no colon: `runtime:…` and `record:…` are others' subjects.
    if (!event.subject.includes(":")) take(reading, event as AgentEvent);
  }
  const { lanes: kept, from } = latest(reading.lanes, { ...MOST, ...most });
  const byAgent = new Map<string, Lane[]>();
  for (const lane of kept) byAgent.set(lane.agent, [...(byAgent.get(lane.agent) ?? []), lane]);
  return {
    lanes: [...byAgent.values()].flat(),
    from,
    to: kept.reduce((latest, lane) => Math.max(latest, lastOf(lane)), 0),
    earlier: {
      processes: reading.lanes.length - kept.length,
      attempts: attemptsOf(reading.lanes) - attemptsOf(kept),
    },
  };
}

const attemptsOf = (lanes: Lane[]): number => lanes.reduce((sum, { bars }) => sum + bars.length, 0);

/** The last of it: processes in order of their start, with what they did since `from`. */
function latest(all: Lane[], most: typeof MOST): { lanes: Lane[]; from: number } {
  const lanes = all.slice(-most.processes);
  const things = lanes
    .flatMap(({ bars, marks }) => [...bars.map(({ from: at, sequence }) => ({ at, sequence })), ...marks])
    .sort((a, b) => a.sequence - b.sequence);
  const first = things.length > most.things ? things.at(-most.things) : undefined;
  if (!first) return { lanes, from: lanes[0]?.startedAt ?? 0 };
  const since = ({ sequence }: { sequence: number }) => sequence >= first.sequence;
  return {
    from: first.at,
    lanes: lanes
      .map((lane) => ({
        ...lane,
        bars: lane.bars.filter((bar) => since(bar) || bar.to === null),
        marks: lane.marks.filter(since),
      }))
      .filter(
        ({ bars, marks, endedAt }) => bars.length + marks.length > 0 || (endedAt ?? first.at) >= first.at,
      ),
  };
}

function take(reading: Reading, event: AgentEvent): void {
  const { sequence } = event;
  const at = Date.parse(event.time);
  const lane = reading.latest.get(event.subject);
  const mark = (kind: Mark["kind"], about: { tool?: string; by?: string } = {}) =>
    lane?.marks.push({ at, kind, sequence, ...about });
  switch (event.type) {
    case "relight.agent.started": {
      const { pid, fence } = event.data;
      // A successor starts only once its predecessor is proven dead, whether or not the log says how it died.
      if (lane) end(lane, { at, sequence, end: "killed", how: "found dead" });
      const life = { startedAt: at, endedAt: null, end: null, how: null, endSequence: null };
      const started = { agent: event.subject, pid, fence, ...life, bars: [], marks: [], rows: 1, sequence };
      reading.lanes.push(started);
      reading.latest.set(event.subject, started);
      return;
    }
    case "relight.agent.crashed":
      if (lane?.fence === event.data.fence)
        end(lane, { at, sequence, end: "killed", how: deathOf(event.data) });
      return;
    case "relight.agent.stopped":
      if (lane?.fence === event.data.fence) end(lane, { at, sequence, end: "stopped", how: event.data.why });
      return;
    case "relight.call.started":
      if (lane?.fence === event.data.fence) start(reading, lane, event.data, at, sequence);
      return;
    case "relight.call.completed":
    case "relight.call.failed": {
      const outcome = event.type === "relight.call.completed" ? "completed" : "failed";
      const bar = reading.running.get(event.data.call);
      reading.running.delete(event.data.call);
      // Refused before it started: there is no bar that could show it.
      if (bar?.to !== null) mark(outcome, { tool: event.data.tool.name });
      else Object.assign(bar, { to: at, outcome });
      return;
    }
    case "relight.interrupt.opened":
      reading.doubted.set(event.data.call, event.data.tool.name);
      mark("in doubt", { tool: event.data.tool.name });
      return;
    case "relight.interrupt.decided":
      mark(event.data.decision, { tool: reading.doubted.get(event.data.call), by: event.data.by });
      return;
    case "relight.run.interrupted":
      mark("interrupted");
      return;
    case "relight.run.completed":
      mark("completed");
      return;
    case "relight.run.failed":
      mark("failed");
  }
}

function start(
  reading: Reading,
  lane: Lane,
  { call, tool, attempt }: AgentEvents["call.started"],
  at: number,
  sequence: number,
): void {
  const rows = reading.rows.get(lane) ?? [];
  const free = rows.findIndex(({ to }) => to !== null);
  const row = free < 0 ? rows.length : free;
  const name = { call, tool: tool.name, attempt, repeated: attempt > 1 };
  const bar: Bar = { ...name, from: at, to: null, outcome: "running", row, sequence };
  rows[row] = bar;
  reading.rows.set(lane, rows);
  reading.running.set(call, bar);
  lane.rows = Math.max(lane.rows, rows.length);
  lane.bars.push(bar);
}

function end(
  lane: Lane,
  { at, sequence, ...ended }: { at: number; sequence: number } & Pick<Lane, "end" | "how">,
) {
  if (lane.endedAt !== null) return;
  Object.assign(lane, { endedAt: at, endSequence: sequence, ...ended });
  for (const bar of lane.bars) {
    if (bar.to === null) Object.assign(bar, { to: at, outcome: "cut" });
  }
}

const deathOf = (data: AgentEvents["agent.crashed"]): string =>
  data.why ? `ended itself: ${data.why}` : howItDied(data);

/** Nothing of a lane is later: bars start in order, and end with their process at the latest. */
const lastOf = ({ startedAt, endedAt, bars, marks }: Lane): number =>
  bars.reduce(
    (last, { from, to }) => Math.max(last, to ?? from),
    Math.max(startedAt, endedAt ?? 0, marks.at(-1)?.at ?? 0),
  );

/** What a lane shows, in one sentence. It does not say how long something has been running: that is not news. */
export function tell(lane: Lane): string {
  const { agent, pid, startedAt, endedAt, how, bars } = lane;
  const who = `pid ${pid} of ${agent}`;
  const name = ({ tool, attempt }: Bar) => `${tool}, attempt ${attempt}`;
  const settled = bars
    .filter(({ outcome }) => outcome === "completed" || outcome === "failed")
    .map((bar) => `; ${name(bar)}, ${bar.outcome} after ${seconds(bar.from, bar.to)}`);
  const open = bars.filter(({ outcome }) => outcome === "running" || outcome === "cut");
  if (endedAt === null) {
    const running = open.map((bar) => ` and runs ${name(bar)}`);
    return `${who} is alive${running.join("")}${settled.join("")}.`;
  }
  // Found dead is when somebody looked: how far it had got nobody knows.
  if (how === "found dead") {
    const cut = open.map((bar) => `, ${name(bar)}, unfinished`);
    return `${who} ${howItEnded(lane)} ${seconds(startedAt, endedAt)} after its start${cut.join("")}${settled.join("")}.`;
  }
  const cut = open.map((bar) => `, ${seconds(bar.from, bar.to)} into ${name(bar)}`);
  return `${who} lived ${seconds(startedAt, endedAt)} and ${howItEnded(lane)}${cut.join("")}${settled.join("")}.`;
}

/** `was killed by SIGKILL`, `exited with 1`, `was stopped (idle)`: what may follow a pid. */
export function howItEnded({ end, how }: Lane): string {
  if (end === "stopped") return `was stopped (${how})`;
  return how?.startsWith("killed") || how === "found dead" ? `was ${how}` : `${how}`;
}

const seconds = (from: number, to: number | null): string =>
  `${((Math.max(to ?? from, from) - from) / 1000).toFixed(1)} s`;
