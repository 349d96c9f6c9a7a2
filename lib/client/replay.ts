/** The page as it was at some event: folded from the log's beginning, by the same `apply`. */
import { NOBODY, next, type Step, type Tools } from "../agents/next";
import type { AgentState } from "../agents/state";
import { worldAt } from "../world/view";
import { advance, indexAfter, type Live, nothing } from "./live";

/** So many events lie between two states that are kept: as many are folded, at most, for any point. */
const EVERY = 250;

/** Folds prefixes of one log, keeping a state here and there so that every point is near one. */
export class Replay {
  #log: string | null = null;
  /** `#kept[n]` is the state after `n * EVERY` events. */
  #kept: Live[] = [];

  /** What the page showed when `cursor` was the last event. The world is as of that event's time. */
  at(live: Live, cursor: number): Live {
    if (live.log !== this.#log) {
      this.#log = live.log;
      this.#kept = [{ ...nothing, log: live.log, base: live.base, cursor: live.base }];
    }
    const count = indexAfter(live.events, cursor);
    const wanted = Math.floor(count / EVERY);
    while (this.#kept.length <= wanted) {
      const from = (this.#kept.length - 1) * EVERY;
      this.#kept.push(fold(this.#kept.at(-1) ?? nothing, live.events.slice(from, from + EVERY)));
    }
    const folded = fold(this.#kept[wanted] ?? nothing, live.events.slice(wanted * EVERY, count));
    const events = live.events.slice(0, count);
    const world = live.world && worldAt(live.world, events.at(-1)?.time ?? "");
    return { ...folded, head: live.head, events, world };
  }
}

/** Without the events themselves: they are the log's, and copying them each time is what would cost. */
function fold(before: Live, events: Live["events"]): Live {
  const folded = advance(
    { ...before, events: [] },
    events.map((event) => ({ is: "event", event })),
  );
  return { ...folded, events: [] };
}

/** A crash falls between commits, never into one: the last event of the commit that an event belongs to. */
export function endOfCommit(events: Live["events"], cursor: number): number {
  const index = indexAfter(events, cursor) - 1;
  const commit = events[index]?.commit;
  let end = cursor;
  for (let at = index; at >= 0 && at < events.length && events[at]?.commit === commit; at++) {
    end = events[at]?.sequence ?? end;
  }
  return end;
}

export interface Prospect {
  agent: string;
  /** What recovery would do: `check_stock runs again`. */
  what: string;
  why: string;
}

/** What a new process of each agent would do if the old one died here; from `next`, as the process itself decides. */
export function ifItCrashedHere(agents: readonly AgentState[], tools: Tools): Prospect[] {
  return agents.flatMap((agent) => {
    const steps = next(agent, NOBODY, tools);
    if (steps.length > 0) return steps.map((step) => ({ agent: agent.id, ...wordsFor(step) }));
    const waits = agent.run?.calls.find(({ status }) => status === "in_doubt");
    if (waits)
      return [
        {
          agent: agent.id,
          what: `${waits.tool} still waits for a person`,
          why: "What is in doubt stays in doubt.",
        },
      ];
    return [{ agent: agent.id, what: "nothing happens", why: "It has nothing to do." }];
  });
}

function wordsFor(step: Step): Omit<Prospect, "agent"> {
  switch (step.do) {
    case "start": {
      const { call, attempt } = step;
      if (call.status === "saved")
        return { what: `${call.tool} runs`, why: "Its turn was saved, and it never started." };
      if (call.status === "approved")
        return { what: `${call.tool} runs once more`, why: "A person approved it." };
      return {
        what: `${call.tool} runs again`,
        why: `It is idempotent, so attempt ${attempt} does no harm.`,
      };
    }
    case "open interrupt":
      return {
        what: `${step.call.tool} waits for a person`,
        why: "It started, and nobody can know whether it went through.",
      };
    case "interrupt run":
      return { what: "a person is asked", why: "Only calls in doubt are left." };
    case "ask the model":
      return {
        what: step.turn === 1 ? "the model is asked" : "the model is asked again",
        why: "Its answer was not saved yet.",
      };
    case "start run":
      return { what: "the run of the next ask begins", why: "The ask is in the log, so it is not lost." };
    case "complete run":
      return { what: "the run completes", why: "Its answer was saved." };
    case "fail run":
      return { what: "the run fails", why: step.error.message };
  }
}
