/** What holds on every prefix of every log, whatever happened to the agent and when. */
import fc from "fast-check";
import { afterAll, describe, expect, test } from "vitest";
import type { AgentEvent } from "../../lib/agents/events";
import { isUnfinished, NOBODY, next, type Tools } from "../../lib/agents/next";
import { type AgentState, conversation, initial, isOpen, isSettled } from "../../lib/agents/state";
import { problemOf } from "./conversation";
import { AGENT, fold } from "./log";
import { type Operation, Simulation } from "./simulation";

const word = <const T extends string>(name: T) => fc.constant<T>(name);
const tool = fc.constantFrom("check_stock", "charge_card", "cordon");
const work = fc.nat({ max: 3 }).map((n) => n > 0);
const which = fc.nat({ max: 3 });
const promised: fc.Arbitrary<boolean | null> = fc.option(fc.boolean());
const calls = fc.option(fc.array(tool, { maxLength: 3 }), { freq: 8 });

const weighed: [number, fc.Arbitrary<Operation>][] = [
  [3, fc.record({ do: word("ask") })],
  [6, fc.record({ do: word("start") })],
  [8, fc.record({ do: word("model answers"), calls, work })],
  [6, fc.record({ do: word("call ends"), which, well: fc.boolean(), work })],
  [3, fc.record({ do: word("crash") })],
  [4, fc.record({ do: word("decide"), which, approve: fc.boolean() })],
  [3, fc.record({ do: word("work") })],
  [1, fc.record({ do: fc.constantFrom("stop", "leave", "hear again", "give up") })],
  [1, fc.record({ do: word("define"), offered: fc.boolean() })],
  [1, fc.record({ do: word("register"), tool, idempotent: promised })],
];
const operation = fc.oneof(...weighed.map(([weight, arbitrary]) => ({ weight, arbitrary })));
const schedule = fc.array(operation, { maxLength: 80, size: "max" });

interface History {
  events: AgentEvent[];
  writtenWith: (Tools | null)[];
  /** After so many events; the first one is before any. */
  states: AgentState[];
}

const reached = new Set<string>();

/** Checks that it `holds` for the history of any schedule. */
function always(holds: (history: History) => void, numRuns = 1000): void {
  const property = fc.property(schedule, (operations) => {
    const simulation = new Simulation();
    for (const operation of operations) simulation.run(operation);
    const { log, writtenWith } = simulation;
    const states = [initial(AGENT)];
    for (const event of log.events) states.push(fold([event], states.at(-1)));
    for (const { type } of log.events) reached.add(type.replace("relight.", ""));
    holds({ events: log.events, writtenWith, states });
  });
  fc.assert(property, { numRuns });
}

describe("whatever happens and when", () => {
  test("a call is started again only if that is safe, or a person said so, once for each time they did", () => {
    always(({ events, writtenWith }) => {
      const calls = new Map<string, { idempotent: boolean; attempts: number; approvals: number }>();
      for (const [at, { type, data }] of events.entries()) {
        if (type === "relight.turn.saved") {
          for (const { id, idempotent } of data.calls)
            calls.set(id, { idempotent, attempts: 0, approvals: 0 });
        }
        const call = "call" in data ? calls.get(data.call) : undefined;
        if (!call) continue;
        if (type === "relight.interrupt.decided" && data.decision === "approved") call.approvals += 1;
        if (type !== "relight.call.started") continue;
        expect(data.attempt).toBe(call.attempts + 1);
        call.attempts += 1;
        if (data.attempt === 1) continue;
        const safe = call.idempotent && writtenWith[at]?.[data.tool.name]?.idempotent === true;
        if (safe) continue;
        expect(call.approvals, `attempt ${data.attempt} of ${data.call} was approved`).toBe(1);
        call.approvals = 0;
      }
    });
  });

  test("the conversation is always one that a model's API takes", () => {
    always(({ states }) => {
      for (const state of states) expect(problemOf(conversation(state))).toBeNull();
    });
  });

  test("an agent is left without a process only if it has nothing to do, or waits for a person who was told", () => {
    always(({ events, states }) => {
      for (const [length, state] of states.entries()) {
        if (isUnfinished(state)) continue;
        const { run, asks, interrupts } = state;
        if (!isOpen(run)) {
          expect(asks).toEqual([]);
          continue;
        }
        const open = run.calls.filter((call) => !isSettled(call));
        const last = events.slice(0, length).findLast(({ type }) => type === "relight.run.interrupted");
        const ids = last?.type === "relight.run.interrupted" ? last.data.interrupts : [];
        const told = interrupts.filter(({ id, status }) => status === "open" && ids.includes(id));
        expect(open.length).toBeGreaterThan(0);
        expect(open.every(({ status }) => status === "in_doubt")).toBe(true);
        expect(told.map(({ call }) => call.id).sort()).toEqual(open.map(({ id }) => id).sort());
      }
    });
  });

  test("what is next can be said at every point, for every incarnation and any tools", () => {
    always(({ states, writtenWith }) => {
      const registries = [{}, ...writtenWith.filter((tools) => tools !== null)];
      for (const state of states) {
        for (const fence of [NOBODY, state.fence, state.fence + 1]) {
          for (const tools of registries.slice(-3)) next(state, fence, tools);
        }
      }
    });
  });

  test("from every point every ask comes to its end, in order, none lost and none twice", () => {
    always(({ events, states }) => {
      for (const [at, state] of states.entries()) {
        // A run is closed together with its interrupts: no crash comes between.
        if (at === 0 || events[at]?.type === "relight.interrupt.closed") continue;
        const simulation = new Simulation(events.slice(0, at), state);
        simulation.finish();
        const whole = simulation.log.events;
        const asks = whole.flatMap((e) => (e.type === "relight.ask.received" ? [e.data.message.id] : []));
        const runs = whole.flatMap((e) => (e.type === "relight.run.started" ? [e.data] : []));
        const ends = whole.flatMap((e) =>
          /run\.(completed|failed)$/.test(e.type) && "run" in e.data ? [e.data.run] : [],
        );
        expect(runs.map(({ message }) => message)).toEqual(asks);
        expect(ends).toEqual(runs.map(({ run }) => run));
        expect(problemOf(conversation(simulation.state))).toBeNull();
      }
    }, 60);
  });

  test("folding a log in two parts, one of them later and from JSON, is folding it at once", () => {
    always(({ events, states }) => {
      const wired = JSON.parse(JSON.stringify(events)) as AgentEvent[];
      const half = Math.floor(events.length / 2);
      const known = JSON.parse(JSON.stringify(states[half])) as AgentState;
      expect(fold(wired.slice(half), known)).toEqual(states.at(-1));
    });
  });

  // Otherwise the above could hold because nothing ever happens.
  afterAll(() => {
    expect([...reached]).toEqual(
      expect.arrayContaining([
        "agent.stopped",
        "call.completed",
        "call.failed",
        "interrupt.closed",
        "interrupt.decided",
        "run.completed",
        "run.failed",
        "run.interrupted",
      ]),
    );
  });
});
