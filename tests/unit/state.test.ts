import { describe, expect, test } from "vitest";
import type { AgentEvent } from "../../lib/agents/events";
import { type AgentState, apply, callsOf, findAsk } from "../../lib/agents/state";
import { problemOf } from "./conversation";
import {
  approved,
  asked,
  charge,
  completed,
  crashed,
  definition,
  denied,
  failed,
  fold,
  interrupted,
  type Log,
  opened,
  started,
  stock,
  turn,
} from "./log";

const resultsOf = (state: AgentState) =>
  state.messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool_result"));
const rolesOf = (state: AgentState) => state.messages.map(({ role }) => role);

/** Two calls of one turn: the stock is known, and nobody knows what became of the charge. */
const inDoubt = (): Log => {
  const log = started(started(turn(asked(), [charge(), stock()]), charge()), stock());
  completed(log, stock(), "3 in stock.");
  return opened(crashed(log), charge());
};

describe("asks", () => {
  const ask = (log: Log, id: string) =>
    log.add("ask.received", { message: { id, text: `text of ${id}` }, by: "owner" });

  test("queue in the order in which they came, until their run starts", () => {
    const log = ask(ask(asked(), "ask-2"), "ask-3");
    expect(log.state.asks.map(({ id }) => id)).toEqual(["ask-2", "ask-3"]);
    log.add("run.completed", {
      run: "run-1",
      answer: "Three.",
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    log.add("run.started", { run: "run-2", message: "ask-2", definition });
    expect(log.state.asks.map(({ id }) => id)).toEqual(["ask-3"]);
    expect(log.state.messages.at(-1)).toEqual({
      role: "user",
      parts: [{ type: "text", content: "text of ask-2" }],
    });
  });

  test.each(["__proto__", "constructor"])("are remembered by any id that a sender may choose: %s", (id) => {
    const { state } = ask(asked(), id);
    expect(findAsk(state, id)?.text).toBe(`text of ${id}`);
  });
});

describe("a run", () => {
  test("keeps the definition that it started with", () => {
    const log = asked().add("agent.defined", { definition: { ...definition, tools: [] }, by: "owner" });
    expect(log.state.run?.definition).toEqual(definition);
    expect(log.state.definition?.tools).toEqual([]);
  });

  test("adds up what its turns used, and knows the text of the last one", () => {
    const log = completed(started(turn(asked(), [stock()], "Let me look."), stock()), stock(), "3 in stock.");
    const { run } = turn(log, [], "Three.", 2).state;
    expect(run).toMatchObject({ turn: 2, text: "Three.", usage: { inputTokens: 20, outputTokens: 10 } });
  });

  test("that failed settles its open calls, so that the next ask finds a valid conversation", () => {
    const log = inDoubt();
    log.add("run.failed", { run: "run-1", error: { code: "CRASH_LOOP", message: "five deaths in a row" } });
    log.add("interrupt.closed", { interrupt: "interrupt-1", call: charge().id });
    const { state } = log;
    expect(state.run).toMatchObject({ status: "failed", error: { code: "CRASH_LOOP" } });
    expect(state.interrupts).toMatchObject([{ status: "closed" }]);
    const [ofCharge, ofStock] = resultsOf(state);
    expect(ofCharge).toMatchObject({ call: "charge-1", failed: true });
    expect(ofCharge?.content).toMatch(/^OUTCOME_UNKNOWN: /);
    expect(ofStock).toMatchObject({ call: "stock-1", failed: false, content: "3 in stock." });
    expect(problemOf(state.messages)).toBeNull();
  });

  test("that is retried is open again, knows what was used before, and has its calls as they ended", () => {
    const log = inDoubt().add("run.failed", { run: "run-1", error: { code: "LIMIT", message: "too much" } });
    const { run } = log.add("run.retried", { run: "run-1", by: "maria" }).state;
    expect(run).toMatchObject({
      status: "running",
      turn: 1,
      refused: 0,
      usage: { inputTokens: 10, outputTokens: 5 },
      before: { turn: 1, usage: { inputTokens: 10, outputTokens: 5 } },
    });
    expect(run).not.toHaveProperty("error");
    expect(run?.calls.map(({ status }) => status)).toEqual(["failed", "completed"]);
    expect(problemOf(log.state.messages)).toBeNull();
    expect(turn(log, [], "Three.", 2).state.run).toMatchObject({ turn: 2, before: { turn: 1 } });
  });

  test("counts the turns in a row that asked for what could not be run, each once", () => {
    const log = turn(asked(), [charge(), stock()]);
    const refused = () => log.state.run?.refused;
    failed(failed(log, charge()), stock());
    expect(refused()).toBe(1);
    // One good call beside it does not make a turn a good one.
    const second = [charge("charge-2"), stock("stock-2")] as const;
    started(failed(turn(log, [...second], "", 2), second[0]), second[1]);
    completed(log, second[1], "3 in stock.");
    expect(refused()).toBe(2);
    turn(log, [charge("charge-3")], "", 3);
    expect(refused()).toBe(2);
    // One that was started has been run, however it ended.
    failed(started(log, charge("charge-3")), charge("charge-3"));
    turn(log, [], "Well.", 4);
    expect(refused()).toBe(0);
  });

  test("that goes on where the model paused has one message, one text, and the latest reason to stop", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const paused = { run: "run-1", calls: [], usage, stop: "pause_turn" };
    const log = asked();
    for (const [index, content] of ["One", "two"].entries())
      log.add("turn.saved", { ...paused, turn: index + 1, parts: [{ type: "text", content }] });
    expect(log.state.run).toMatchObject({ stop: "pause_turn", turn: 2 });
    turn(log, [stock()], "three.", 3);
    expect(rolesOf(log.state)).toEqual(["user", "assistant"]);
    expect(log.state.run).toMatchObject({ text: "One\n\ntwo\n\nthree.", stop: undefined });
    completed(started(log, stock()), stock(), "3 in stock.");
    turn(log, [], "Four.", 4);
    expect(rolesOf(log.state)).toEqual(["user", "assistant", "user", "assistant"]);
    expect(log.state.run?.text).toBe("Four.");
    expect(problemOf(log.state.messages)).toBeNull();
  });

  test("that failed before any turn leaves the question it did not answer", () => {
    const log = asked().add("run.failed", { run: "run-1", error: { code: "NO_KEY", message: "no key" } });
    expect(rolesOf(log.state)).toEqual(["user"]);
    expect(log.state.run?.status).toBe("failed");
  });
});

describe("a turn's results", () => {
  test("become one message once the last call is settled, in the order of the calls", () => {
    const log = started(started(turn(asked(), [charge(), stock()]), charge()), stock());
    completed(log, stock(), "3 in stock.");
    expect(rolesOf(log.state)).toEqual(["user", "assistant"]);
    completed(log, charge(), "Charged $40.");
    expect(rolesOf(log.state)).toEqual(["user", "assistant", "user"]);
    expect(resultsOf(log.state)).toEqual([
      { type: "tool_result", call: "charge-1", content: "Charged $40.", failed: false },
      { type: "tool_result", call: "stock-1", content: "3 in stock.", failed: false },
    ]);
  });

  test("say of a failed call what failed", () => {
    const log = failed(started(turn(asked(), [charge()]), charge()), charge());
    expect(resultsOf(log.state)).toMatchObject([{ content: "TOOL_ERROR: no such card", failed: true }]);
  });

  test("are a person's own words where a call was denied, and no failure", () => {
    const log = denied(inDoubt(), charge(), "The bank shows the charge.");
    expect(resultsOf(log.state)[0]).toMatchObject({ content: "The bank shows the charge.", failed: false });
    expect(log.state.run?.calls[0]?.status).toBe("denied");
  });

  test("are given once: what comes of a call that is settled changes nothing", () => {
    const log = completed(started(turn(asked(), [stock()]), stock()), stock(), "3 in stock.");
    const { messages } = log.state;
    expect(completed(log, stock(), "9 in stock.").state.messages).toEqual(messages);
  });
});

describe("a process that ends", () => {
  const deaths = [
    [{ signal: "SIGKILL", exitCode: null }, "killed by SIGKILL"],
    [{ signal: null, exitCode: 1 }, "exited with 1"],
    [{ signal: null, exitCode: null }, "found dead"],
    [
      { signal: "SIGKILL", exitCode: null, why: "charge_card threw: ECONNRESET" },
      "charge_card threw: ECONNRESET",
    ],
  ] as const;

  test.each(deaths)("ends the attempts that it made, and says how: %o", (death, why) => {
    const log = started(turn(asked(), [charge()]), charge());
    expect(log.state.process).toMatchObject({ pid: 101, fence: 1 });
    log.add("agent.crashed", { pid: 101, fence: 1, ...death });
    expect(log.state.process).toBeNull();
    expect(log.state.run?.calls[0]).toMatchObject({
      status: "started",
      attempts: [{ attempt: 1, pid: 101, why, endedAt: log.events.at(-1)?.time }],
    });
  });

  test("leaves an attempt as it ended before", () => {
    const log = completed(started(turn(asked(), [stock(), charge()]), stock()), stock(), "3 in stock.");
    const { endedAt } = log.state.run?.calls[0]?.attempts[0] ?? {};
    crashed(started(log, charge()));
    expect(log.state.run?.calls[0]?.attempts).toEqual([expect.objectContaining({ endedAt })]);
    expect(log.state.run?.calls[0]?.attempts[0]).not.toHaveProperty("why");
  });

  test("told of late does not end its successor", () => {
    const log = asked().add("agent.started", { pid: 102, fence: 2 });
    log.add("agent.crashed", { pid: 101, fence: 1, signal: null, exitCode: null });
    expect(log.state.process).toMatchObject({ pid: 102, fence: 2 });
  });

  test("has no call in flight any more, nor has its successor", () => {
    const log = started(turn(asked(), [charge()]), charge());
    expect(callsOf(log.state, 1)).toHaveLength(1);
    expect(callsOf(crashed(log).state, 2)).toEqual([]);
  });
});

describe("an interrupt", () => {
  test("tells a person what was tried, by whom and how it ended", () => {
    const [interrupt] = inDoubt().state.interrupts;
    expect(interrupt).toMatchObject({
      id: "interrupt-1",
      status: "open",
      call: { id: "charge-1", tool: "charge_card", input: { amount: 40, order: "1042" }, attempt: 1 },
      attempts: [{ attempt: 1, pid: 101, why: "killed by SIGKILL" }],
    });
  });

  test("remembers the decision, and the run goes on", () => {
    const log = interrupted(inDoubt(), "interrupt-1");
    expect(log.state.run?.status).toBe("interrupted");
    denied(log, charge(), "No.");
    expect(log.state.interrupts).toMatchObject([{ status: "denied", decidedBy: "maria", reason: "No." }]);
    expect(log.state.run?.status).toBe("running");
  });

  test("that is decided leaves the attempt as it ended, at the crash", () => {
    const before = inDoubt().state.run?.calls[0]?.attempts;
    expect(before).toMatchObject([{ endedAt: expect.any(String), why: "killed by SIGKILL" }]);
    expect(denied(inDoubt(), charge(), "No.").state.run?.calls[0]?.attempts).toEqual(before);
  });

  test("of a second attempt stands beside the first, which stays decided", () => {
    const log = started(approved(inDoubt(), charge()), charge(), 2, 2);
    opened(crashed(log, 2), charge(), "interrupt-2", 2);
    expect(log.state.interrupts).toMatchObject([
      { id: "interrupt-1", status: "approved", attempts: [{ attempt: 1 }] },
      { id: "interrupt-2", status: "open", attempts: [{ attempt: 1 }, { attempt: 2 }] },
    ]);
  });
});

test("an event of a type that this version does not know moves the position, and nothing else", () => {
  const { state, events } = asked();
  const unknown = { ...events[0], type: "relight.agent.promoted", sequence: 999 } as unknown as AgentEvent;
  expect(apply(state, unknown)).toEqual({ ...state, position: 999 });
});

test("the fold of a log that went through JSON is the same", () => {
  const log = denied(interrupted(inDoubt(), "interrupt-1"), charge(), "No.");
  const wired = JSON.parse(JSON.stringify(log.events)) as AgentEvent[];
  expect(fold(wired)).toEqual(log.state);
  expect(JSON.parse(JSON.stringify(log.state))).toEqual(log.state);
});
