/** What a page knows: the log that it has seen, folded by the same `apply` as on the server. Pure. */
import type { AgentEvent } from "../agents/events";
import { type AgentState, apply, initial } from "../agents/state";
import type { Envelope } from "../log/event";
import type { Spoken } from "../playground/speeches";
import type { HeldLease, StreamMessage } from "../playground/stream";
import { isRecord, type RecordEvent } from "../records/events";
import { apply as applyToRecord, initial as emptyRecord, type RecordState } from "../records/state";
import type { Worker } from "../records/view";
import { apply as applyToWorker, isWorker, type WorkerEvent, type WorkerLife } from "../records/worker-state";
import type { WorldView } from "../world/view";

export interface Live {
  /** Null until the stream has said which log it is. */
  log: string | null;
  /** The log's head when the stream began: before it is reached, what is here is the past. */
  head: number;
  /** The last cursor before this log. */
  base: number;
  /** The last event seen. */
  cursor: number;
  events: Envelope[];
  agents: Readonly<Record<string, AgentState>>;
  /** As the log says; a fresh log's is running. */
  runtime: "running" | "stopped";
  world: WorldView | null;
  records: Readonly<Record<string, RecordState>>;
  /** Who holds what of the records now, as far as nobody gave it up. */
  leases: readonly HeldLease[];
  /** As the log says; `workers` has what they print, too. */
  crew: Readonly<Record<string, WorkerLife>>;
  workers: readonly Worker[];
  /** What each agent's model said last; of a turn that is not saved yet, if of any that still counts. */
  speeches: Readonly<Record<string, Spoken>>;
}

export const nothing: Live = {
  log: null,
  base: 0,
  head: 0,
  cursor: 0,
  events: [],
  agents: {},
  runtime: "running",
  world: null,
  records: {},
  leases: [],
  crew: {},
  workers: [],
  speeches: {},
};

/** Takes in what the stream brought. A new log's id drops everything of the one before it. */
export function advance(live: Live, messages: readonly StreamMessage[]): Live {
  return messages.reduce(take, { ...live, events: [...live.events] });
}

function take(live: Live, message: StreamMessage): Live {
  switch (message.is) {
    case "log": {
      const { log, base, cursor } = message;
      if (live.log === log) return { ...live, head: cursor };
      return { ...nothing, events: [], log, base, head: cursor, cursor: base };
    }
    case "world":
      return { ...live, world: message.world };
    case "leases":
      return { ...live, leases: message.leases };
    case "workers":
      return { ...live, workers: message.workers };
    case "speech": {
      const { from, ...spoken } = message.speech;
      const before = live.speeches[spoken.agent];
      const same = from > 0 && before?.run === spoken.run && before.turn === spoken.turn;
      const text = same ? before.text.slice(0, from) + spoken.text : spoken.text;
      return { ...live, speeches: { ...live.speeches, [spoken.agent]: { ...spoken, text } } };
    }
    case "event": {
      const { event } = message;
      // Seen before: a stream that was opened anew.
      if (event.sequence <= live.cursor) return live;
      live.events.push(event);
      return {
        ...live,
        cursor: event.sequence,
        agents: foldAgent(live.agents, event),
        records: foldRecord(live.records, event),
        crew: foldWorker(live.crew, event),
        runtime: runtimeAfter(event) ?? live.runtime,
      };
    }
  }
}

function runtimeAfter({ type }: Envelope): Live["runtime"] | null {
  if (type === "relight.runtime.started") return "running";
  return type === "relight.runtime.stopped" ? "stopped" : null;
}

function foldRecord(records: Live["records"], event: Envelope): Live["records"] {
  if (!isRecord(event.subject)) return records;
  const before = records[event.subject] ?? emptyRecord(event.subject);
  return { ...records, [event.subject]: applyToRecord(before, event as RecordEvent) };
}

function foldWorker(crew: Live["crew"], event: Envelope): Live["crew"] {
  if (!isWorker(event.subject)) return crew;
  const life = applyToWorker(event as WorkerEvent);
  return { ...crew, [life.name]: life };
}

function foldAgent(agents: Live["agents"], event: Envelope): Live["agents"] {
  // An agent's id has no colon: `runtime:…` and `record:…` are others' subjects.
  if (event.subject.includes(":")) return agents;
  const before = agents[event.subject] ?? initial(event.subject);
  return { ...agents, [event.subject]: apply(before, event as AgentEvent) };
}

/** How many events come up to a cursor, it included. Events are in the order of their cursors. */
export function indexAfter(events: Live["events"], cursor: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.sequence ?? 0) <= cursor) low = middle + 1;
    else high = middle;
  }
  return low;
}
