import { describe, expect, test } from "vitest";
import type { FromKernel } from "../../lib/notebooks/kernel";
import { type Act, act, begin, isStale, keep, type Session } from "../../lib/notebooks/session";

const CELLS = ["a", "b", "c"].map((id) => ({ id, code: `code of ${id}` }));

const after = (...acts: Act[]): Session => acts.reduce(act, begin(CELLS));
const run = (...ids: string[]): Act => ({ do: "run", ids, at: 0 });
const told = (message: FromKernel): Act => ({ do: "told", message, at: 1000 });
const done = (cell: string, waiting = false): Act => told({ tells: "done", cell, waiting });
const failed = (cell: string): Act => told({ tells: "failed", cell });
const showed = (cell: string, text: string): Act =>
  told({ tells: "output", cell, output: { kind: "text", text } });
const stop: Act = { do: "stop", at: 2000 };

const statuses = ({ cells }: Session) => Object.values(cells).map(({ status }) => status);

test("cells run one after the other", () => {
  expect(statuses(after(run("a", "b", "c")))).toEqual(["running", "queued", "queued"]);
  const second = after(run("a", "b", "c"), done("a"));
  expect(statuses(second)).toEqual(["done", "running", "queued"]);
  expect(second.cells.a?.ms).toBe(1000);
  expect(statuses(after(run("a", "b", "c"), done("a"), done("b"), done("c")))).toEqual([
    "done",
    "done",
    "done",
  ]);
});

test("what waits for a press holds up the rest, until it was pressed", () => {
  const waiting = after(run("a", "b"), done("a", true));
  expect(statuses(waiting)).toEqual(["waiting", "queued", "not run"]);
  expect(waiting.held).toBe("a");
  const pressed = act(waiting, told({ tells: "pressed", cell: "a", buttons: "o1", label: "Go" }));
  expect(statuses(pressed)).toEqual(["running", "queued", "not run"]);
  expect(statuses(act(pressed, done("a")))).toEqual(["done", "running", "not run"]);
});

test("a cell that fails ends what was queued behind it", () => {
  expect(statuses(after(run("a", "b", "c"), failed("a")))).toEqual(["failed", "not run", "not run"]);
});

test("what was queued in vain is as it was before", () => {
  const session = after(run("a"), failed("a"), run("b", "a"), stop);
  expect(statuses(session)).toEqual(["failed", "stopped", "not run"]);
  const waits = act(after(run("a"), done("a")), run("b", "a"));
  expect(keep(waits.cells.a as NonNullable<typeof waits.cells.a>).status).toBe("done");
});

test("what a button does can be stopped, and a kernel that is lost says so", () => {
  const waiting = after(run("a", "b"), done("a", true));
  const pressed = act(waiting, told({ tells: "pressed", cell: "a", buttons: "o1", label: "Go" }));
  expect([pressed.running, pressed.held]).toEqual(["a", null]);
  expect(statuses(act(pressed, stop))).toEqual(["stopped", "not run", "not run"]);
  const lost = act(pressed, { do: "lost", why: "It is gone.", at: 2000 });
  expect(statuses(lost)).toEqual(["failed", "not run", "not run"]);
  expect(lost.cells.a?.outputs.at(-1)).toMatchObject({ kind: "error", message: "It is gone." });
});

test("a cell runs anew: what it showed before is gone", () => {
  const session = after(run("a"), showed("a", "one"), done("a"), run("a"), showed("a", "two"));
  expect(session.cells.a?.outputs).toEqual([{ kind: "text", text: "two" }]);
});

test("stopped, the kernel is gone: outputs stay, marked as from earlier", () => {
  const session = after(run("a", "b", "c"), showed("a", "one"), done("a"), showed("b", "two"), stop);
  expect(statuses(session)).toEqual(["done", "stopped", "not run"]);
  expect(Object.values(session.cells).map(({ earlier }) => earlier)).toEqual([true, true, false]);
  expect(session.cells.b?.outputs).toEqual([{ kind: "text", text: "two" }]);
  expect(statuses(act(session, run("b")))).toEqual(["done", "running", "not run"]);
});

test("a cell is stale if one above it ran since", () => {
  const session = after(run("a", "b"), done("a"), done("b"), run("a"), done("a"));
  expect(["a", "b", "c"].map((id) => isStale(session, id))).toEqual([false, true, false]);
});

describe("after a reload", () => {
  const session = after({ do: "edit", id: "c", code: "mine" }, run("a", "b"), showed("a", "one"), done("a"));
  const kept = Object.fromEntries(Object.entries(session.cells).map(([id, cell]) => [id, keep(cell)]));
  const restored = begin(CELLS, kept);

  test("outputs and edits are there", () => {
    expect(restored.cells.a?.outputs).toEqual([{ kind: "text", text: "one" }]);
    expect(restored.cells.c?.code).toBe("mine");
  });

  test("nothing runs any more, and what ran is from earlier", () => {
    expect(statuses(restored)).toEqual(["done", "stopped", "not run"]);
    expect(Object.values(restored.cells).map(({ earlier }) => earlier)).toEqual([true, true, false]);
    expect(restored.running).toBeNull();
  });
});
