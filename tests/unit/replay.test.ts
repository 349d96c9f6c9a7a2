import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../lib/agents/events";
import { apply, initial } from "../../lib/agents/state";
import { advance, nothing } from "../../lib/client/live";
import { endOfCommit, ifItCrashedHere, Replay } from "../../lib/client/replay";
import type { Envelope } from "../../lib/log/event";
import { worldOf } from "../../lib/world/view";

const AGENT = "shop";
const TOOLS = {
  check_stock: { name: "check_stock", idempotent: true },
  charge_card: { name: "charge_card", idempotent: false },
};

/** A log whose commits are given as lists of type and data. */
function log(...commits: [type: string, data: object][][]): Envelope[] {
  const events: Envelope[] = [];
  for (const commit of commits) {
    const first = events.length + 1;
    for (const [type, data] of commit) {
      const sequence = events.length + 1;
      const time = new Date(Date.UTC(2026, 0, 1, 0, 0, sequence)).toISOString();
      events.push({
        type: `relight.${type}`,
        data,
        sequence,
        commit: first,
        time,
        subject: AGENT,
        id: `${sequence}`,
      } as Envelope);
    }
  }
  return events;
}

const definition = { model: "scripted:shop", instructions: "", tools: ["shop"] };
const call = (id: string, tool: string, idempotent: boolean) => ({ id, tool, input: {}, idempotent });
const started = (id: string, tool: string, attempt: number, fence: number): [string, object] => [
  "call.started",
  { run: "r", call: id, tool: { name: tool }, input: {}, attempt, fence, pid: 10 + fence },
];

const CHARGE = log(
  [["agent.defined", { definition }]],
  [["ask.received", { message: { id: "a1", text: "Charge $40" } }]],
  [["agent.started", { pid: 11, fence: 1 }]],
  [["run.started", { run: "r", message: "a1", definition }]],
  [
    [
      "turn.saved",
      {
        run: "r",
        turn: 1,
        parts: [],
        calls: [call("c1", "check_stock", true), call("c2", "charge_card", false)],
        usage: {},
      },
    ],
    started("c1", "check_stock", 1, 1),
    started("c2", "charge_card", 1, 1),
  ],
  [["agent.crashed", { pid: 11, fence: 1, signal: "SIGKILL", exitCode: null }]],
  [["agent.started", { pid: 12, fence: 2 }]],
  [
    started("c1", "check_stock", 2, 2),
    [
      "interrupt.opened",
      { interrupt: "i", kind: "in_doubt", run: "r", call: "c2", tool: { name: "charge_card" }, attempt: 1 },
    ],
  ],
);

const live = (events: Envelope[]) =>
  advance(nothing, [
    { is: "log", log: "l", base: 0, cursor: events.length },
    ...events.map((event) => ({ is: "event" as const, event })),
  ]);

test("every point is the fold of its prefix, however one gets there", () => {
  // Long enough that states are kept in between.
  const asks = Array.from({ length: 900 }, (_, index): [string, object][] => [
    ["ask.received", { message: { id: `a${index}`, text: "Hello" } }],
  ]);
  const page = live(log(...asks));
  const replay = new Replay();
  for (const cursor of [899, 3, 500, 250, 251, 0, 900, 499]) {
    const events = page.events.slice(0, cursor) as AgentEvent[];
    const view = replay.at(page, cursor);
    expect(view.events).toHaveLength(cursor);
    expect(view.agents[AGENT] ?? initial(AGENT)).toEqual(events.reduce(apply, initial(AGENT)));
  }
});

test("the world is as of the event's time", () => {
  const at = CHARGE[5]?.time ?? "";
  const bank = [{ id: "b", amount: 40, order: null, at }];
  const page = { ...live(CHARGE), world: worldOf(bank, [{ at, did: "run", tool: "charge_card" }]) };
  const replay = new Replay();
  expect(replay.at(page, 5).world).toMatchObject({ bank: [], toolRuns: {} });
  expect(replay.at(page, 6).world).toMatchObject({ bank, toolRuns: { charge_card: 1 } });
});

test("a point inside a commit is taken to its end", () => {
  expect([4, 5, 6, 7, 8].map((cursor) => endOfCommit(CHARGE, cursor))).toEqual([4, 7, 7, 7, 8]);
});

describe("if it crashed here", () => {
  const at = (cursor: number) =>
    ifItCrashedHere(Object.values(new Replay().at(live(CHARGE), cursor).agents), TOOLS).map(
      ({ what }) => what,
    );

  test.each([
    [1, ["nothing happens"]],
    [2, ["the run of the next ask begins"]],
    [4, ["the model is asked"]],
    [7, ["check_stock runs again", "charge_card waits for a person"]],
    [8, ["check_stock runs again", "charge_card waits for a person"]],
    [11, ["check_stock runs again"]],
  ])("at event %i", (cursor, what) => {
    expect(at(cursor)).toEqual(what);
  });
});
