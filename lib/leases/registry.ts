/**
 * The processes that a runtime started, as files: leases tell only of those that have claimed an agent. One that froze
 * before it could, perhaps with the database's write lock in its hand, is found here by the next server.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessId } from "./lease";
import { killAndProve } from "./process";

export class Registry {
  readonly #dir: string;

  constructor(dir: string) {
    this.#dir = dir;
    mkdirSync(dir, { recursive: true, mode: 0o700 });
  }

  /** Before the process is told anything: until then there is nothing that it could hold. */
  add({ pid, birth }: ProcessId): void {
    writeFileSync(this.#file(pid), birth);
  }

  /** Once it is dead. */
  remove(pid: number): void {
    rmSync(this.#file(pid), { force: true });
  }

  /**
   * Kills whatever a dead server left. What cannot be proven dead stays listed, and its agent gets no successor.
   * @param own pids that are not to be touched
   */
  async killAll(own: ReadonlySet<number> = new Set()): Promise<void> {
    for (const name of readdirSync(this.#dir)) {
      const pid = Number(name);
      if (own.has(pid)) continue;
      const birth = this.#birthOf(pid);
      const dead =
        birth === null ||
        (await killAndProve({ pid, birth }).then(
          () => true,
          () => false,
        ));
      if (dead) this.remove(pid);
    }
  }

  /** Null if somebody removed it meanwhile. */
  #birthOf(pid: number): string | null {
    try {
      return readFileSync(this.#file(pid), "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
      throw error;
    }
  }

  #file(pid: number): string {
    return join(this.#dir, String(pid));
  }
}
