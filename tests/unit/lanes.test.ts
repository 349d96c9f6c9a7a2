import { expect, test } from "vitest";
import { type AgentEvents, draft } from "../../lib/agents/events";
import { lanesOf, tell } from "../../lib/client/lanes";
import type { Envelope } from "../../lib/log/event";

const SHOP = "acme/@maria/shop";
const START = Date.UTC(2030, 0, 1);

/** A log by the clock: each event says at which second it was written. */
class Told {
  readonly events: Envelope[] = [];

  at<T extends keyof AgentEvents>(seconds: number, type: T, data: AgentEvents[T], agent = SHOP): this {
    const sequence = this.events.length + 1;
    const time = new Date(START + seconds * 1000).toISOString();
    this.events.push({
      ...draft(agent, type, data),
      time,
      sequence,
      commit: sequence,
    } as unknown as Envelope);
    return this;
  }

  live(seconds: number, fence: number, agent = SHOP): this {
    return this.at(seconds, "agent.started", { pid: 100 + fence, fence }, agent);
  }

  killed(seconds: number, fence: number, how: Partial<AgentEvents["agent.crashed"]> = {}): this {
    return this.at(seconds, "agent.crashed", {
      pid: 100 + fence,
      fence,
      signal: "SIGKILL",
      exitCode: null,
      ...how,
    });
  }

  stopped(seconds: number, fence: number, why: AgentEvents["agent.stopped"]["why"] = "idle"): this {
    return this.at(seconds, "agent.stopped", { pid: 100 + fence, fence, why });
  }

  begins(seconds: number, tool: string, attempt: number, fence: number, agent = SHOP): this {
    return this.at(
      seconds,
      "call.started",
      { ...about(tool, attempt, agent), input: {}, fence, pid: 100 + fence },
      agent,
    );
  }

  completes(seconds: number, tool: string, attempt: number, agent = SHOP): this {
    return this.at(seconds, "call.completed", { ...about(tool, attempt, agent), result: "4" }, agent);
  }

  fails(seconds: number, tool: string, attempt: number): this {
    return this.at(seconds, "call.failed", {
      ...about(tool, attempt),
      error: { code: "TOOL_ERROR", message: "no" },
    });
  }
}

const about = (tool: string, attempt: number, agent = SHOP) => ({
  run: "run-1",
  call: `${agent} ${tool}`,
  tool: { name: tool },
  attempt,
});

const at = (seconds: number) => START + seconds * 1000;

const killedMidLookup = () =>
  new Told()
    .live(0, 1)
    .begins(0.1, "check_stock", 1, 1)
    .killed(0.9, 1)
    .live(1.1, 2)
    .begins(1.2, "check_stock", 2, 2)
    .completes(4.2, "check_stock", 2)
    .at(4.3, "run.completed", { run: "run-1", answer: "4", usage: { inputTokens: 1, outputTokens: 1 } })
    .stopped(5, 2);

test("killed mid-lookup: its attempt is cut, and the next process repeats it", () => {
  const { lanes, from, to } = lanesOf(killedMidLookup().events);
  expect([from, to]).toEqual([at(0), at(5)]);
  expect(lanes).toMatchObject([
    {
      agent: SHOP,
      pid: 101,
      fence: 1,
      startedAt: at(0),
      endedAt: at(0.9),
      end: "killed",
      how: "killed by SIGKILL",
      sequence: 1,
      endSequence: 3,
      bars: [{ tool: "check_stock", attempt: 1, repeated: false, to: at(0.9), outcome: "cut", sequence: 2 }],
    },
    {
      pid: 102,
      end: "stopped",
      how: "idle",
      bars: [{ attempt: 2, repeated: true, from: at(1.2), to: at(4.2), outcome: "completed", sequence: 5 }],
      marks: [{ kind: "completed", at: at(4.3), sequence: 7 }],
    },
  ]);
  expect(lanes.map(tell)).toEqual([
    "pid 101 of acme/@maria/shop lived 0.9 s and was killed by SIGKILL, 0.8 s into check_stock, attempt 1.",
    "pid 102 of acme/@maria/shop lived 3.9 s and was stopped (idle); check_stock, attempt 2, completed after 3.0 s.",
  ]);
});

const decided = (log: Told, seconds: number, decision: "approved" | "denied") =>
  log.at(seconds, "interrupt.decided", {
    interrupt: "interrupt-1",
    call: `${SHOP} charge_card`,
    decision,
    by: "maria",
  });

const stoppedMidCharge = () =>
  new Told()
    .live(0, 1)
    .begins(0.1, "charge_card", 1, 1)
    .stopped(1.5, 1, "runtime stopped")
    .live(3, 2)
    .at(3.1, "interrupt.opened", {
      interrupt: "interrupt-1",
      kind: "in_doubt",
      ...about("charge_card", 1),
    })
    .at(3.1, "run.interrupted", { run: "run-1", interrupts: ["interrupt-1"] })
    .stopped(3.5, 2);

test("stopped mid-charge: the doubt is the successor's, and the decision comes after its end", () => {
  const log = decided(stoppedMidCharge(), 60, "approved").live(60.2, 3).begins(60.3, "charge_card", 2, 3);
  const { lanes } = lanesOf(log.events);
  expect(lanes.map(({ bars }) => bars.map(({ outcome }) => outcome))).toEqual([["cut"], [], ["running"]]);
  expect(lanes[1]?.marks).toEqual([
    { at: at(3.1), kind: "in doubt", sequence: 5, tool: "charge_card" },
    { at: at(60), kind: "approved", sequence: 8, tool: "charge_card", by: "maria" },
  ]);
  expect(tell(lanes[0] ?? never())).toContain(
    "was stopped (runtime stopped), 1.4 s into charge_card, attempt 1",
  );
});

test("a denial is a mark, and starts nothing", () => {
  const { lanes } = lanesOf(decided(stoppedMidCharge(), 4, "denied").events);
  expect(lanes.map(({ marks }) => marks.at(-1)?.kind)).toEqual([undefined, "denied"]);
  expect(lanes.flatMap(({ bars }) => bars)).toHaveLength(1);
});

test("two agents: each has its lanes together, and only its own bars", () => {
  const log = new Told()
    .live(0, 1)
    .live(0.1, 1, "acme/@maria/bank")
    .begins(0.2, "check_stock", 1, 1)
    .begins(0.3, "check_stock", 1, 1, "acme/@maria/bank")
    .killed(1, 1)
    .live(1.1, 2)
    .completes(2, "check_stock", 1, "acme/@maria/bank");
  const { lanes } = lanesOf(log.events);
  expect(lanes.map(({ agent, fence }) => [agent, fence])).toEqual([
    [SHOP, 1],
    [SHOP, 2],
    ["acme/@maria/bank", 1],
  ]);
  expect(lanes.map(({ bars }) => bars[0]?.outcome)).toEqual(["cut", undefined, "completed"]);
});

test("parallel calls have rows of their own, and a row is used again once it is free", () => {
  const log = new Told()
    .live(0, 1)
    .begins(0.1, "a", 1, 1)
    .begins(0.1, "b", 1, 1)
    .completes(1, "a", 1)
    .begins(1, "c", 1, 1)
    .fails(2, "b", 1);
  const [lane] = lanesOf(log.events).lanes;
  expect(lane?.bars.map(({ tool, row, outcome }) => [tool, row, outcome])).toEqual([
    ["a", 0, "completed"],
    ["b", 1, "failed"],
    ["c", 0, "running"],
  ]);
  expect(lane?.rows).toBe(2);
});

test("a process that lives has no end, and its sentence does not change with time", () => {
  const log = new Told().live(0, 1).begins(0.5, "check_stock", 1, 1);
  const timeline = lanesOf(log.events);
  expect(timeline.lanes[0]).toMatchObject({ endedAt: null, end: null, how: null, endSequence: null });
  expect(timeline.to).toBe(at(0.5));
  expect(tell(timeline.lanes[0] ?? never())).toBe(
    `pid 101 of ${SHOP} is alive and runs check_stock, attempt 1.`,
  );
});

test("how it ended is said as far as it is known", () => {
  const how = (crash: Partial<AgentEvents["agent.crashed"]>) => {
    const log = new Told().live(0, 1).begins(0.5, "a", 1, 1).killed(2, 1, crash);
    return lanesOf(log.events).lanes.map(tell)[0];
  };
  expect(how({ signal: null, exitCode: 1 })).toContain("lived 2.0 s and exited with 1, 1.5 s into a");
  expect(how({ signal: null, exitCode: 1, why: "Lapsed." })).toContain(
    "and ended itself: Lapsed., 1.5 s into a",
  );
  expect(how({ signal: null })).toContain("was found dead 2.0 s after its start, a, attempt 1, unfinished.");
});

test("a successor ends a predecessor of whose end the log says nothing", () => {
  const { lanes } = lanesOf(new Told().live(0, 1).begins(1, "a", 1, 1).live(9, 2).events);
  expect(lanes[0]).toMatchObject({ endedAt: at(9), how: "found dead", endSequence: 3 });
  expect(lanes[0]?.bars[0]?.outcome).toBe("cut");
});

test("a call that was refused has no bar; others' subjects, unknown types and a log without processes no lane", () => {
  const refused = lanesOf(new Told().live(0, 1).fails(1, "a", 1).events).lanes[0];
  expect(refused?.bars).toEqual([]);
  expect(refused?.marks).toMatchObject([{ kind: "failed", tool: "a", sequence: 2 }]);
  const strange = [
    ...new Told().live(0, 1, "record:note/1").begins(1, "a", 1, 1).events,
    { ...new Told().live(0, 1).events[0], type: "relight.agent.sang" } as Envelope,
  ];
  expect(lanesOf(strange)).toEqual({
    lanes: [],
    from: 0,
    to: 0,
    earlier: { processes: 0, attempts: 0 },
  });
});

test("only the latest processes are drawn, and only what is theirs", () => {
  const log = new Told();
  for (let fence = 1; fence <= 20; fence++) log.live(fence, fence).killed(fence + 0.5, fence);
  expect(lanesOf(log.events).lanes.map(({ fence }) => fence)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
  const { lanes, from, to, earlier } = lanesOf(log.events, { processes: 2 });
  expect(lanes).toHaveLength(2);
  expect([from, to]).toEqual([at(19), at(20.5)]);
  expect(earlier).toEqual({ processes: 18, attempts: 0 });
});

test("of a process with many attempts the latest are drawn, and what still runs", () => {
  const log = new Told().live(0, 1).begins(1, "a", 1, 1);
  for (let n = 2; n <= 50; n++) log.begins(n, `b${n}`, 1, 1).completes(n + 0.5, `b${n}`, 1);
  const { lanes, from, earlier } = lanesOf(log.events, { things: 3 });
  expect(lanes[0]?.bars.map(({ tool }) => tool)).toEqual(["a", "b48", "b49", "b50"]);
  expect([lanes[0]?.startedAt, from]).toEqual([at(0), at(48)]);
  expect(earlier).toEqual({ processes: 0, attempts: 46 });
});

const never = (): never => {
  throw new Error("There is no such lane.");
};
