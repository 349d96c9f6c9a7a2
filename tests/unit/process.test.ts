import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, describe, expect, test } from "vitest";
import { birthOf, isAlive, killAndProve, type ProcessId, self } from "../../lib/leases";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

function start(command: string, ...args: string[]): ChildProcess & { id: ProcessId } {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const pid = child.pid ?? 0;
  return Object.assign(child, { id: { pid, birth: birthOf(pid) ?? "" } });
}
const sleeper = () => start("sleep", "60");

/** The kernel still knows the pid, whatever it runs. */
const isKnown = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a process", () => {
  test("knows itself, the same each time", () => {
    expect(self().pid).toBe(process.pid);
    expect(self().birth).not.toBe("");
    expect(self()).toEqual(self());
    expect(isAlive(self())).toBe(true);
  });

  test("is not the one that had its pid before", () => {
    expect(isAlive({ ...self(), birth: `${self().birth}0` })).toBe(false);
    expect(isAlive({ ...self(), birth: "" })).toBe(false);
  });

  test("that never was has no birth", () => {
    for (const pid of [0, 2 ** 22 + 1]) expect(birthOf(pid)).toBeNull();
  });

  test("is alive while it runs, and dead once it was reaped", async () => {
    const child = sleeper();
    expect(isAlive(child.id)).toBe(true);
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(isAlive(child.id)).toBe(false);
    expect(birthOf(child.id.pid)).toBeNull();
  });

  test("that is frozen is alive: it may wake up", async () => {
    const child = sleeper();
    child.kill("SIGSTOP");
    expect(isAlive(child.id)).toBe(true);
  });

  test("whose name looks like the fields that follow it is read right", async () => {
    // The kernel puts the name of the program into the line that the birth is read from.
    const renamed = "process.title = ') Z 1 1 1'; console.log('up'); setInterval(() => {}, 1000)";
    const child = start(process.execPath, "-e", renamed);
    await once(createInterface({ input: child.stdout ?? process.stdin }), "line");
    expect(isAlive(child.id)).toBe(true);
  });

  test("that is dead and not reaped is not alive, though the kernel still knows its pid", async () => {
    // The parent turns into a program that never reaps, so that its child stays a zombie.
    const parent = start("sh", "-c", "sleep 60 & echo $!; exec sleep 60");
    const [line] = await once(createInterface({ input: parent.stdout ?? process.stdin }), "line");
    const pid = Number(line);
    const zombie = { pid, birth: birthOf(pid) ?? "" };
    expect(isAlive(zombie)).toBe(true);
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isAlive(zombie), { interval: 1, timeout: 30_000 }).toBe(false);
    expect(isKnown(pid)).toBe(true);
  });
});

describe("killing with proof", () => {
  test("ends a frozen process, which no other signal would", async () => {
    const child = sleeper();
    const exit = once(child, "exit");
    child.kill("SIGSTOP");
    await killAndProve(child.id);
    expect(isAlive(child.id)).toBe(false);
    expect(await exit).toEqual([null, "SIGKILL"]);
  });

  test("leaves alone another process that has the pid now", async () => {
    const child = sleeper();
    await killAndProve({ ...child.id, birth: `${child.id.birth}0` });
    expect(isAlive(child.id)).toBe(true);
    expect(child.killed).toBe(false);
  });

  test("is content with one that is gone", async () => {
    const child = sleeper();
    child.kill("SIGKILL");
    await once(child, "exit");
    await killAndProve(child.id);
  });

  test("is UNAVAILABLE where death cannot be proven in time", async () => {
    const child = sleeper();
    // No time at all: whether it is dead by then is not known.
    const outcome = await killAndProve(child.id, -1).then(
      () => "proven",
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining(`pid ${child.id.pid}`),
    });
  });
});
