import { expect, test } from "vitest";
import { draft } from "../../lib/agents/events";
import type { StreamMessage } from "../../lib/client";
import { advance, type Live, nothing } from "../../lib/client/live";
import type { Envelope } from "../../lib/log/event";

const log = (id: string, base: number, cursor: number): StreamMessage => ({
  is: "log",
  log: id,
  base,
  cursor,
});

const event = (sequence: number): StreamMessage => {
  const made = draft("a", "ask.received", { message: { id: `ask-${sequence}`, text: "Hello" }, by: "owner" });
  const envelope = {
    ...made,
    sequence,
    commit: sequence,
    id: String(sequence),
    time: "2026-01-01T00:00:00.000Z",
  };
  return { is: "event", event: envelope as unknown as Envelope };
};

const seen = ({ events }: Live) => events.map(({ sequence }) => sequence);

test("events are folded as they come, and one that comes again changes nothing", () => {
  const live = advance(nothing, [log("one", 0, 2), event(1), event(2)]);
  expect(live.agents.a?.asks).toHaveLength(2);
  const again = advance(live, [log("one", 0, 3), event(2), event(3)]);
  expect(seen(again)).toEqual([1, 2, 3]);
  expect(again.agents.a?.asks).toHaveLength(3);
});

test("a page that was away at a reset drops the old log, and sees the whole new one", () => {
  const before = advance(nothing, [log("one", 0, 3), event(1), event(2), event(3)]);
  const after = advance(before, [log("two", 3, 6), event(4), event(5), event(6)]);
  expect(seen(after)).toEqual([4, 5, 6]);
  expect(after.agents.a?.asks).toHaveLength(3);
});

test("a log of another directory is read from its beginning", () => {
  const before = advance(nothing, [log("one", 0, 2), event(1), event(2)]);
  expect(seen(advance(before, [log("other", 0, 1), event(1)]))).toEqual([1]);
});

test("what was drawn before is not changed by what comes after", () => {
  const before = advance(nothing, [log("one", 0, 1), event(1)]);
  advance(before, [event(2)]);
  expect(seen(before)).toEqual([1]);
});

test("the runtime is what the log last said, and runs in a fresh one", () => {
  const runtime = (type: string): StreamMessage => {
    const { event: envelope } = event(1) as Extract<StreamMessage, { is: "event" }>;
    return { is: "event", event: { ...envelope, type, subject: "runtime:r" } };
  };
  expect(advance(nothing, [log("one", 0, 0)]).runtime).toBe("running");
  expect(advance(nothing, [log("one", 0, 1), runtime("relight.runtime.stopped")]).runtime).toBe("stopped");
});
