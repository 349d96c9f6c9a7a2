/** The processes of a log as the lanes of a timeline: what each started, how far it got, and how it ended. Pure. */
import type { AgentEvent, AgentEvents } from "../agents/events";
import { howItDied } from "../agents/state";
import type { Envelope } from "../log/event";
import { isRecord, type RecordEvent } from "../records/events";
import { isWorker, type WorkerEvent } from "../records/worker-state";

/** One start of a call, or one lease, by the process in whose lane it is. Times are milliseconds since 1970. */
export interface Bar {
  call: string;
  tool: string;
  /** Of a lease, its fence. */
  attempt: number;
  /** The work was started before, by an attempt that did not finish. */
  repeated: boolean;
  from: number;
  to: number | null;
  /**
   * `cut`: its process ended before the tool did. A lease is `held` until it is `released`, or `lost` to somebody who
   * claimed: the death of its owner does not end it.
   */
  outcome: "completed" | "failed" | "cut" | "running" | "held" | "released" | "lost";
  /** Whom a lease was taken over from. */
  tookOverFrom?: string;
  /** Calls that run at the same time have rows of their own. */
  row: number;
  /** The cursor of its `call.started`. */
  sequence: number;
}

/** Something that happened at a moment. It has a tool if it is about a call, and is about the run otherwise. */
export interface Mark {
  at: number;
  kind:
    | "in doubt"
    | "approved"
    | "denied"
    | "interrupted"
    | "completed"
    | "failed"
    | "checkpoint"
    | "refused"
    | "paused"
    | "continued";
  sequence: number;
  tool?: string;
  by?: string;
  /** Whose the lease was, or is. */
  from?: string;
}

/** One process of an agent, or of a worker: its life. */
export interface Lane {
  /** Whose: an agent's id, or a worker's name. */
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
    const { subject } = event;
    // An agent's id has no colon.
    if (!subject.includes(":")) take(reading, event as AgentEvent);
    else if (isWorker(subject)) takeWorker(reading, event as WorkerEvent);
    else if (isRecord(subject)) takeRecord(reading, event as RecordEvent);
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
    case "relight.agent.started":
      begin(reading, event.subject, event, at);
      return;
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
      // What it waits for was marked in the same commit: one mark would lie over the other.
      if (lane?.marks.at(-1)?.at !== at) mark("interrupted");
      return;
    case "relight.run.completed":
      mark("completed");
      return;
    case "relight.run.failed":
      mark("failed");
  }
}

function begin(
  reading: Reading,
  agent: string,
  { data: { pid, fence = 0 }, sequence }: { data: { pid: number; fence?: number }; sequence: number },
  at: number,
): void {
  // A successor starts only once its predecessor is proven dead, whether or not the log says how it died.
  const before = reading.latest.get(agent);
  if (before) end(before, { at, sequence, end: "killed", how: "found dead" });
  const life = { startedAt: at, endedAt: null, end: null, how: null, endSequence: null };
  const started = { agent, pid, fence, ...life, bars: [], marks: [], rows: 1, sequence };
  reading.lanes.push(started);
  reading.latest.set(agent, started);
}

function takeWorker(reading: Reading, event: WorkerEvent): void {
  const { sequence, data } = event;
  const at = Date.parse(event.time);
  const lane = reading.latest.get(data.name);
  switch (event.type) {
    case "relight.worker.started":
      begin(reading, data.name, event, at);
      return;
    case "relight.worker.paused":
    case "relight.worker.continued":
      lane?.marks.push({
        at,
        kind: event.type === "relight.worker.paused" ? "paused" : "continued",
        sequence,
      });
      return;
    case "relight.worker.crashed":
      if (lane) end(lane, { at, sequence, end: "killed", how: howItDied(event.data) });
      return;
    case "relight.worker.stopped":
      if (lane) end(lane, { at, sequence, end: "stopped", how: "its work was over" });
  }
}

/** What the workers' own keys do is drawn in their lanes; what other keys do has no process here. */
function takeRecord(reading: Reading, event: RecordEvent): void {
  const { sequence, subject, data } = event;
  const at = Date.parse(event.time);
  const lane = reading.latest.get(/^apikey:.*\/([^/]+)$/.exec(data.by)?.[1] ?? "");
  const field = "field" in data ? data.field : "";
  const lease = `${subject}#${field}`;
  const leaseEnds = (outcome: "released" | "lost") => {
    const bar = reading.running.get(lease);
    reading.running.delete(lease);
    if (bar) Object.assign(bar, { to: at, outcome });
  };
  switch (event.type) {
    case "relight.field.claimed":
    case "relight.field.taken_over": {
      leaseEnds("lost");
      if (!lane) return;
      const of = { call: lease, tool: { name: field }, attempt: event.data.fence };
      const bar = start(reading, lane, of, at, sequence, "held");
      if (event.type === "relight.field.taken_over") bar.tookOverFrom = event.data.tookOverFrom;
      return;
    }
    case "relight.field.released":
      leaseEnds("released");
      return;
    case "relight.field.claim_refused":
      lane?.marks.push({ at, kind: "refused", sequence, tool: field, from: event.data.owner });
      return;
    case "relight.checkpoint.saved":
      lane?.marks.push({ at, kind: "checkpoint", sequence, tool: field });
  }
}

function start(
  reading: Reading,
  lane: Lane,
  { call, tool, attempt }: Pick<AgentEvents["call.started"], "call" | "tool" | "attempt">,
  at: number,
  sequence: number,
  outcome: "running" | "held" = "running",
): Bar {
  const rows = reading.rows.get(lane) ?? [];
  const free = rows.findIndex(({ to }) => to !== null);
  const row = free < 0 ? rows.length : free;
  const name = { call, tool: tool.name, attempt, repeated: outcome === "running" && attempt > 1 };
  const bar: Bar = { ...name, from: at, to: null, outcome, row, sequence };
  rows[row] = bar;
  reading.rows.set(lane, rows);
  reading.running.set(call, bar);
  lane.rows = Math.max(lane.rows, rows.length);
  lane.bars.push(bar);
  return bar;
}

function end(
  lane: Lane,
  { at, sequence, ...ended }: { at: number; sequence: number } & Pick<Lane, "end" | "how">,
) {
  if (lane.endedAt !== null) return;
  Object.assign(lane, { endedAt: at, endSequence: sequence, ...ended });
  for (const bar of lane.bars) {
    if (bar.outcome === "running") Object.assign(bar, { to: at, outcome: "cut" });
  }
}

const deathOf = (data: AgentEvents["agent.crashed"]): string =>
  data.why ? `ended itself: ${data.why}` : howItDied(data);

/** The latest thing of a lane. */
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
  const settled = bars.flatMap((bar) => {
    if (isLease(bar)) return [`; ${tellLease(bar)}`];
    if (bar.outcome !== "completed" && bar.outcome !== "failed") return [];
    return [`; ${name(bar)}, ${bar.outcome} after ${seconds(bar.from, bar.to)}`];
  });
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

export const isLease = ({ outcome }: Bar): boolean => ["held", "released", "lost"].includes(outcome);

/** `the lease on remediation, fence 2: taken over from apikey:…, released`. */
export function tellLease({ tool, attempt, tookOverFrom, outcome }: Bar): string {
  const ends = {
    held: "not released yet",
    released: "released",
    lost: "lost to the next claim",
  };
  const from = tookOverFrom === undefined ? "claimed" : `taken over from ${tookOverFrom}`;
  return `the lease on ${tool}, fence ${attempt}: ${from}, ${ends[outcome as keyof typeof ends]}`;
}

/** `was killed by SIGKILL`, `exited with 1`, `was stopped (idle)`: what may follow a pid. */
export function howItEnded({ end, how }: Lane): string {
  if (end === "stopped") return `was stopped (${how})`;
  return how?.startsWith("killed") || how === "found dead" ? `was ${how}` : `${how}`;
}

const seconds = (from: number, to: number | null): string =>
  `${((Math.max(to ?? from, from) - from) / 1000).toFixed(1)} s`;
