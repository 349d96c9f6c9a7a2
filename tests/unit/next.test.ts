/** One test for each row of the table in the design, "State and step". */
import { describe, expect, test } from "vitest";
import type { TurnCall } from "../../lib/agents/events";
import { isUnfinished, NOBODY, next, type Tools } from "../../lib/agents/next";
import { type Outcome, plan, type World } from "../../lib/agents/plan";
import {
  approved,
  asked,
  charge,
  completed,
  crashed,
  definition,
  denied,
  failed,
  interrupted,
  Log,
  opened,
  started,
  stock,
  tools,
  turn,
} from "./log";

const world: World = { tools, refuse: () => null, newId: (prefix) => `${prefix}-new` };
const me = (fence: number) => ({ fence, pid: 100 + fence });
/** What `next` says, with calls by their ids. */
const stepsOf = (log: Log, fence: number, registered = tools) =>
  next(log.state, fence, registered).map((step) => ("call" in step ? { ...step, call: step.call.id } : step));
const typesOf = (log: Log, fence: number, how = world) =>
  plan(log.state, [], me(fence), how).events.map(({ type }) => type);
const running = (...calls: TurnCall[]): Log =>
  calls.reduce((log, call) => started(log, call), turn(asked(), calls));

test("no run open, an ask is waiting: start a run, with the definition as it is now", () => {
  const log = new Log().add("agent.defined", { definition, by: "owner" });
  log.add("ask.received", { message: { id: "ask-1", text: "Hello" }, by: "owner" });
  log.add("ask.received", { message: { id: "ask-2", text: "Again" }, by: "owner" });
  const newer = { ...definition, instructions: "Be brief." };
  log.add("agent.defined", { definition: newer, by: "owner" }).add("agent.started", { pid: 101, fence: 1 });
  expect(stepsOf(log, 1)).toEqual([{ do: "start run", ask: { id: "ask-1", text: "Hello" } }]);
  const [event] = plan(log.state, [], me(1), world).events;
  expect(event).toMatchObject({
    type: "relight.run.started",
    data: { message: "ask-1", definition: newer },
  });
});

test("run open, nothing to answer for: ask the model", () => {
  expect(stepsOf(asked(), 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 1 }]);
});

test("a model's turn is saved with its calls as promised then, in one commit with their starts", () => {
  const calls = [stock(), charge()];
  const usage = { inputTokens: 1, outputTokens: 1 };
  const outcome: Outcome = { of: "model", run: "run-1", turn: 1, parts: [], calls, usage };
  const { events, effects } = plan(asked().state, [outcome], me(1), world);
  expect(events.map(({ type }) => type)).toEqual([
    "relight.turn.saved",
    "relight.call.started",
    "relight.call.started",
  ]);
  expect(events[0]?.data).toMatchObject({ calls: [{ idempotent: true }, { idempotent: false }] });
  // The write comes before the effect: what is to be run is what the commit starts.
  expect(effects).toMatchObject([
    { do: "run", call: { id: "stock-1" } },
    { do: "run", call: { id: "charge-1" } },
  ]);
});

test("call started by a process that is gone, idempotent as promised and as registered now: run it again", () => {
  const log = crashed(running(stock()));
  expect(stepsOf(log, 2)).toEqual([{ do: "start", call: "stock-1", attempt: 2 }]);
});

describe("call started by a process that is gone, otherwise: open an interrupt", () => {
  const cases: [string, TurnCall, Tools][] = [
    ["it was never promised to be idempotent", charge(), tools],
    [
      "it was promised, and is not idempotent now",
      stock(),
      { check_stock: { name: "check_stock", idempotent: false } },
    ],
    ["it was not promised, and is idempotent now", stock("stock-1", false), tools],
    ["its tool is not registered any more", stock(), {}],
  ];
  test.each(cases)("%s", (_, call, registered) => {
    const log = crashed(running(call));
    expect(stepsOf(log, 2, registered)).toEqual([{ do: "open interrupt", call: call.id, attempt: 1 }]);
  });

  test("one for each attempt, which the next commit tells of", () => {
    expect(typesOf(crashed(running(charge())), 2)).toEqual([
      "relight.interrupt.opened",
      "relight.run.interrupted",
    ]);
    expect(stepsOf(opened(crashed(running(charge())), charge()), 2)).not.toContainEqual(
      expect.objectContaining({ do: "open interrupt" }),
    );
    const again = started(approved(opened(crashed(running(charge())), charge()), charge()), charge(), 2, 2);
    expect(stepsOf(crashed(again, 2), 3)).toEqual([{ do: "open interrupt", call: "charge-1", attempt: 2 }]);
  });
});

test("call denied: its result is the person's reason, and it is not run", () => {
  const log = denied(
    interrupted(opened(crashed(running(charge())), charge()), "interrupt-1"),
    charge(),
    "No.",
  );
  expect(stepsOf(log, 2)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
  expect(log.state.messages.at(-1)?.parts).toMatchObject([{ type: "tool_result", content: "No." }]);
});

test("call approved: start it once more, as the model wrote it; the start spends the approval", () => {
  const log = approved(interrupted(opened(crashed(running(charge())), charge()), "interrupt-1"), charge());
  expect(stepsOf(log, 2)).toEqual([{ do: "start", call: "charge-1", attempt: 2 }]);
  expect(plan(log.state, [], me(2), world).events).toMatchObject([
    { type: "relight.call.started", data: { attempt: 2, fence: 2, input: charge().input } },
  ]);
  started(log, charge(), 2, 2);
  expect(stepsOf(crashed(log, 2), 3)).toEqual([{ do: "open interrupt", call: "charge-1", attempt: 2 }]);
});

describe("call saved, not started", () => {
  test("start it", () => {
    expect(stepsOf(turn(asked(), [charge()]), 1)).toEqual([{ do: "start", call: "charge-1", attempt: 1 }]);
  });

  test("also after a crash: what was never started is never in doubt", () => {
    expect(stepsOf(crashed(turn(asked(), [charge()])), 2)).toEqual([
      { do: "start", call: "charge-1", attempt: 1 },
    ]);
  });

  test("with an unknown tool or bad arguments fails before it starts, and the model reads why", () => {
    const error = { code: "UNKNOWN_TOOL", message: "There is no tool charge_card." };
    const how: World = { ...world, refuse: ({ tool }) => (tool === "charge_card" ? error : null) };
    const { events, state, effects } = plan(turn(asked(), [charge()]).state, [], me(1), how);
    expect(events.map(({ type }) => type)).toEqual(["relight.call.failed"]);
    expect(state.messages.at(-1)?.parts).toMatchObject([
      { failed: true, content: "UNKNOWN_TOOL: There is no tool charge_card." },
    ]);
    expect(effects).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
  });
});

test("every call settled, however: ask the model again", () => {
  const log = failed(completed(running(stock(), charge()), stock(), "3 in stock."), charge());
  expect(stepsOf(log, 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
});

describe("only in-doubt calls left: interrupt the run", () => {
  const two = (): Log => {
    const calls = [charge(), charge("charge-2")] as const;
    return opened(opened(crashed(running(...calls)), calls[0]), calls[1], "interrupt-2");
  };

  test("once for each set of open interrupts; then wait, without a process", () => {
    const log = two();
    const interrupts = ["interrupt-1", "interrupt-2"];
    expect(stepsOf(log, 2)).toEqual([{ do: "interrupt run", interrupts }]);
    expect(isUnfinished(log.state)).toBe(true);
    interrupted(log, ...interrupts);
    expect(stepsOf(log, 2)).toEqual([]);
    expect(isUnfinished(log.state)).toBe(false);
  });

  test("and again once a decision leaves fewer", () => {
    const log = denied(interrupted(two(), "interrupt-1", "interrupt-2"), charge(), "No.");
    expect(stepsOf(log, 2)).toEqual([{ do: "interrupt run", interrupts: ["interrupt-2"] }]);
  });

  test("asks queue meanwhile, and start no run and no process", () => {
    const log = interrupted(two(), "interrupt-1", "interrupt-2");
    log.add("ask.received", { message: { id: "ask-2", text: "Hello?" }, by: "owner" });
    expect(stepsOf(log, 2)).toEqual([]);
    expect(isUnfinished(log.state)).toBe(false);
  });
});

test("model done: complete the run with its text", () => {
  const log = turn(asked(), [], "We have three.");
  expect(stepsOf(log, 1)).toEqual([{ do: "complete run", answer: "We have three." }]);
  expect(typesOf(log, 1)).toEqual(["relight.run.completed"]);
});

test("a call that I have started myself is left to run", () => {
  expect(stepsOf(running(stock(), charge()), 1)).toEqual([]);
});

test("a call in doubt holds up no other call of its turn, and the run is not interrupted meanwhile", () => {
  const log = crashed(running(charge(), stock()));
  expect(typesOf(log, 2)).toEqual(["relight.interrupt.opened", "relight.call.started"]);
});

test("nothing asked, nothing to do", () => {
  const log = new Log().add("agent.defined", { definition, by: "owner" });
  expect(stepsOf(log, 1)).toEqual([]);
  expect(isUnfinished(log.state)).toBe(false);
});

test("whether a process is needed does not depend on the tools that are registered", () => {
  for (const call of [stock(), charge()]) {
    const { state } = crashed(running(call));
    const needed = [tools, {}].map((registered) => next(state, NOBODY, registered).length > 0);
    expect([isUnfinished(state), ...needed]).toEqual([true, true, true]);
  }
});

describe("what comes too late changes nothing", () => {
  const late = { of: "call", run: "run-1", call: "charge-1", attempt: 1, result: "Charged $40." } as const;

  test("a result of an attempt that another incarnation made", () => {
    const log = interrupted(opened(crashed(running(charge())), charge()), "interrupt-1");
    expect(plan(log.state, [late], me(2), world).events).toEqual([]);
  });

  test("a result of an earlier attempt", () => {
    const log = approved(opened(crashed(running(charge())), charge()), charge());
    expect(plan(started(log, charge(), 2, 2).state, [late], me(2), world).events).toEqual([]);
  });

  test("a failure of a run that has ended", () => {
    const failure = { code: "MODEL_FAILED", message: "overloaded" };
    const log = asked().add("run.failed", { run: "run-1", error: failure });
    log.add("ask.received", { message: { id: "ask-2", text: "Again" }, by: "owner" });
    log.add("run.started", { run: "run-2", message: "ask-2", definition });
    expect(plan(log.state, [{ of: "model", run: "run-1", turn: 1, failure }], me(1), world).events).toEqual(
      [],
    );
  });

  test("a result that was taken in before", () => {
    const log = completed(running(charge(), stock()), charge(), "Charged $40.");
    expect(plan(log.state, [late], me(1), world).events).toEqual([]);
  });

  test("a turn that was saved before", () => {
    const usage = { inputTokens: 1, outputTokens: 1 };
    const again: Outcome = { of: "model", run: "run-1", turn: 1, parts: [], calls: [], usage };
    expect(plan(running(charge()).state, [again], me(1), world).events).toEqual([]);
  });
});

describe("a model that paused", () => {
  const paused = () =>
    asked().add("turn.saved", {
      run: "run-1",
      turn: 1,
      parts: [{ type: "text", content: "I search." }],
      calls: [],
      usage: { inputTokens: 1, outputTokens: 1 },
      stop: "pause_turn",
    });

  test("is asked again, also by the next process", () => {
    expect(stepsOf(paused(), 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
    expect(stepsOf(crashed(paused()), 2)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
  });

  test("is done once it says so", () => {
    expect(stepsOf(turn(paused(), [], "Found.", 2), 1)).toEqual([
      { do: "complete run", answer: "I search.\n\nFound." },
    ]);
  });
});

test("why a model stopped is told when the run is completed", () => {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const outcome: Outcome = {
    of: "model",
    run: "run-1",
    turn: 1,
    parts: [],
    calls: [],
    usage,
    stop: "refusal",
  };
  expect(plan(asked().state, [outcome], me(1), world).events).toMatchObject([
    { type: "relight.turn.saved", data: { stop: "refusal" } },
    { type: "relight.run.completed", data: { stop: "refusal" } },
  ]);
});

describe("a call that cannot be run, whatever the tools say", () => {
  const error = { code: "CUT", message: "It was cut off." };

  test("fails before it starts, with what was saved with it", () => {
    const log = turn(asked(), [{ ...charge(), error }]);
    expect(plan(log.state, [], me(1), world).events).toMatchObject([
      { type: "relight.call.failed", data: { attempt: 1, error } },
    ]);
    expect(typesOf(crashed(log), 2)).toEqual(["relight.call.failed"]);
  });

  /** So many turns in a row, each with a call that fails before it starts. */
  const bad = (count: number, log = asked(), first = 1): Log => {
    for (let number = first; number < first + count; number++)
      failed(turn(log, [charge(`charge-${number}`)], "", number), charge(`charge-${number}`));
    return log;
  };
  const BAD_CALLS = { do: "fail run", error: expect.objectContaining({ code: "BAD_CALLS" }) };

  test("asked for three turns in a row fails the run; two do not", () => {
    expect(stepsOf(bad(2), 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 3 }]);
    expect(stepsOf(bad(3), 1)).toEqual([BAD_CALLS]);
    expect(typesOf(bad(3), 1)).toEqual(["relight.run.failed"]);
  });

  test("is forgiven by a turn whose calls all start, however they end", () => {
    const log = bad(2);
    failed(started(turn(log, [charge("good")], "", 3), charge("good")), charge("good"));
    expect(stepsOf(bad(2, log, 4), 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 6 }]);
    expect(stepsOf(bad(1, log, 6), 1)).toEqual([BAD_CALLS]);
  });

  test("is counted anew after a retry", () => {
    const log = bad(3).add("run.failed", { run: "run-1", error });
    log.add("run.retried", { run: "run-1", by: "maria" });
    expect(stepsOf(bad(2, log, 4), 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 6 }]);
    expect(stepsOf(bad(1, log, 6), 1)).toEqual([BAD_CALLS]);
  });
});

describe("a run that failed", () => {
  const error = { code: "OVERLOADED", message: "tried 6 times" };
  const answered = () => completed(running(stock()), stock(), "3 in stock.");
  const failedRun = () => answered().add("run.failed", { run: "run-1", error });

  test("is over: nothing is left to do until somebody asks or retries", () => {
    expect(stepsOf(failedRun(), 1)).toEqual([]);
    expect(isUnfinished(failedRun().state)).toBe(false);
  });

  test("retried, goes on from its last saved turn", () => {
    const log = failedRun().add("run.retried", { run: "run-1", by: "maria" });
    expect(stepsOf(log, 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
    expect(isUnfinished(log.state)).toBe(true);
  });

  test("retried before its first turn, asks for it", () => {
    const log = asked().add("run.failed", { run: "run-1", error });
    log.add("run.retried", { run: "run-1", by: "maria" });
    expect(stepsOf(log, 1)).toEqual([{ do: "ask the model", run: "run-1", turn: 1 }]);
  });

  test("retried, starts no call again whose outcome nobody knows", () => {
    const log = running(charge()).add("run.failed", { run: "run-1", error });
    log.add("run.retried", { run: "run-1", by: "maria" });
    expect(stepsOf(crashed(log), 2)).toEqual([{ do: "ask the model", run: "run-1", turn: 2 }]);
  });
});

describe("limits", () => {
  const limited = (limits: { maxTurns?: number; maxTokens?: number }) => {
    const log = new Log().add("agent.defined", { definition, by: "owner" });
    log.add("ask.received", { message: { id: "ask-1", text: "Hello" }, by: "owner" });
    log.add("agent.started", { pid: 101, fence: 1 });
    return log.add("run.started", { run: "run-1", message: "ask-1", definition: { ...definition, limits } });
  };
  /** A turn of 15 tokens. */
  const looked = (log: Log, number: number) => {
    const call = stock(`stock-${number}`);
    return completed(started(turn(log, [call], "", number), call), call, "3 in stock.");
  };
  const retried = (log: Log) =>
    log
      .add("run.failed", { run: "run-1", error: { code: "LIMIT", message: "" } })
      .add("run.retried", { run: "run-1", by: "maria" });
  const overLimit = (message: string) => [{ do: "fail run", error: { code: "LIMIT", message } }];
  const more = (number: number) => [{ do: "ask the model", run: "run-1", turn: number }];

  test.each([
    { limits: { maxTurns: 2 }, says: "The run took 2 turns; 2 is the most." },
    { limits: { maxTokens: 30 }, says: "The run used 30 tokens; 30 is the most." },
  ])("$limits are reached before more is asked for, and count from a retry", ({ limits, says }) => {
    const log = looked(limited(limits), 1);
    expect(stepsOf(log, 1)).toEqual(more(2));
    expect(stepsOf(looked(log, 2), 1)).toEqual(overLimit(says));
    expect(stepsOf(retried(log), 1)).toEqual(more(3));
    expect(stepsOf(looked(log, 3), 1)).toEqual(more(4));
    expect(stepsOf(looked(log, 4), 1)).toEqual(overLimit(says));
  });

  test("fail no run that is done", () => {
    const log = turn(limited({ maxTurns: 1, maxTokens: 1 }), [], "Three.");
    expect(stepsOf(log, 1)).toEqual([{ do: "complete run", answer: "Three." }]);
  });

  test("are twenty turns where nothing is said", () => {
    const log = limited({});
    for (let number = 1; number < 20; number++) looked(log, number);
    expect(stepsOf(log, 1)).toEqual(more(20));
    expect(stepsOf(looked(log, 20), 1)).toEqual(overLimit("The run took 20 turns; 20 is the most."));
  });
});
