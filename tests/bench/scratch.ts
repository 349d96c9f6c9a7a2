import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A directory that is removed when the process ends, however it does. */
export function scratch(parent = tmpdir()): string {
  const dir = mkdtempSync(join(parent, "relight-bench-"));
  process.once("exit", () => rmSync(dir, { recursive: true, force: true }));
  return dir;
}
