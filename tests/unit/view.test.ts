import { describe, expect, test } from "vitest";
import { agentOf, runningCalls, statusOf } from "../../lib/agents/view";
import {
  approved,
  asked,
  charge,
  completed,
  crashed,
  definition,
  interrupted,
  type Log,
  opened,
  started,
  stock,
  turn,
} from "./log";

const died = (log: Log, fence = 1): Log =>
  log.add("agent.crashed", { pid: 100 + fence, fence, signal: "SIGKILL", exitCode: null });
const charging = (): Log => started(turn(asked(), [charge()]), charge());
const waiting = (): Log => interrupted(opened(crashed(charging()), charge()), "interrupt-1");

describe("an agent is seen as", () => {
  test("running while its process works", () => {
    expect(statusOf(asked().state)).toBe("running");
    expect(statusOf(charging().state)).toBe("running");
  });

  test("recovering from the death of its process until the next one starts", () => {
    const log = died(charging());
    expect(agentOf(log.state, definition)).toMatchObject({ status: "recovering", pid: null, fence: 1 });
    log.add("agent.started", { pid: 102, fence: 2 });
    expect(agentOf(log.state, definition)).toMatchObject({ status: "running", pid: 102, fence: 2 });
  });

  test("interrupted while it waits for a person, with a process or without", () => {
    expect(statusOf(waiting().state)).toBe("interrupted");
    expect(statusOf(died(waiting(), 2).state)).toBe("interrupted");
    expect(statusOf(approved(waiting(), charge()).state)).toBe("running");
  });

  test("idle when its run is done, failed when that failed, and running again with the next ask", () => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const done = asked().add("run.completed", { run: "run-1", answer: "Three.", usage });
    expect(statusOf(done.state)).toBe("idle");
    const failed = asked().add("run.failed", { run: "run-1", error: { code: "NO_KEY", message: "no key" } });
    expect(statusOf(failed.state)).toBe("failed");
    failed.add("ask.received", { message: { id: "ask-2", text: "Again" }, by: "owner" });
    expect(agentOf(failed.state, definition)).toMatchObject({ status: "running", queued: 1 });
  });

  test("recovering, and why, where its last process cannot be proven dead", () => {
    const seen = agentOf(charging().state, definition, "pid 101 cannot be killed");
    expect(seen).toMatchObject({ status: "recovering", why: "pid 101 cannot be killed" });
  });
});

describe("calls in flight", () => {
  test("are those of the process that is alive", () => {
    const log = started(charging(), charge());
    expect(runningCalls(charging().state)).toEqual([
      {
        id: "charge-1",
        tool: "charge_card",
        input: { amount: 40, order: "1042" },
        idempotent: false,
        attempt: 1,
        startedAt: charging().events.at(-1)?.time,
        pid: 101,
      },
    ]);
    expect(runningCalls(died(log).state)).toEqual([]);
    expect(runningCalls(waiting().state)).toEqual([]);
  });

  test("are gone once they are settled", () => {
    const log = started(turn(asked(), [stock()]), stock());
    expect(runningCalls(log.state)).toHaveLength(1);
    expect(runningCalls(completed(log, stock(), "3 in stock.").state)).toEqual([]);
  });
});
