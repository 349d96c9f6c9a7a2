/**
 * A process that is frozen with SIGSTOP outlives its server: it neither sees it go nor can be asked. Woken later, it
 * would go on where it stood, so the next server kills it before it does anything else.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { frozen, isRunning } from "./os";
import { promisesHold } from "./promises";
import { AGENT, CHARGE, STOCK, Stage, temporary } from "./stage";

/** Runs an agent until it freezes at a point, and kills its server. @returns the directory and the frozen process */
async function leftFrozen(at: string, ask: string): Promise<{ dir: string; pid: number }> {
  const dir = join(temporary(), "data");
  const host = spawn(
    process.execPath,
    [join(root, "tests/.built/host.mjs"), dir, join(root, "dist"), at, ask],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  onTestFinished(() => void host.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: host.stdout }), "line")) as [string];
  const pid = Number(line);
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, "SIGKILL");
  });
  await frozen(pid);
  host.kill("SIGKILL");
  await once(host, "exit");
  expect(isRunning(pid)).toBe(true);
  return { dir, pid };
}

/** As far as there is something to wake. */
function wake(pid: number): void {
  try {
    process.kill(pid, "SIGCONT");
  } catch (error) {
    expect(error).toMatchObject({ code: "ESRCH" });
  }
}

test.each([
  { at: "before-effect", charges: 0 },
  { at: "after-effect", charges: 1 },
])(
  "frozen $at of a charge: dead before anybody is asked, and the bank shows only what a person decided",
  async ({ at, charges }) => {
    const { dir, pid } = await leftFrozen(at, CHARGE);
    const stage = await Stage.open({ dir });
    expect(isRunning(pid)).toBe(false);
    wake(pid);

    const end = await stage.end(0);
    expect(end.type).toBe("relight.run.interrupted");
    expect((await stage.playground.world()).bank).toHaveLength(charges);
    const [inDoubt] = await stage.agents.interrupts("open");
    const { cursor } = await stage.agents.approve(inDoubt?.id ?? "");
    expect((await stage.end(cursor)).data).toMatchObject({ answer: "Charged $40." });
    expect((await stage.playground.world()).bank).toHaveLength(charges + 1);
    await promisesHold(stage.playground.folder.store);
  },
);

test.each(["inside-agent-started", "inside-turn-saved", "inside-call-completed"])(
  "frozen %s, with the write lock in its hand: the next server kills it and goes on",
  async (at) => {
    const { dir, pid } = await leftFrozen(at, STOCK);
    const stage = await Stage.open({ dir });
    expect(isRunning(pid)).toBe(false);
    expect((await stage.end(0)).type).toBe("relight.run.completed");
    await promisesHold(stage.playground.folder.store);
  },
);

test("frozen with the write lock in its hand, it is killed from the page all the same", async () => {
  const stage = await Stage.open({ toolMs: 50 });
  const asked = await stage.ask(STOCK);
  const { data } = await stage.call(asked);
  stage.arm("inside-call-completed", "freeze");
  await frozen(data.pid);
  await stage.agents.kill(AGENT);
  expect((await stage.end(asked)).type).toBe("relight.run.completed");
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
});
