/** The notebooks of this checkout, for its pages. */
import { join, resolve } from "node:path";
import { readNotebooks } from "../notebooks/files";
import type { Notebook } from "../notebooks/parse";

export type { Notebook } from "../notebooks/parse";

/** Every built-in notebook; each was checked when the pages were built. */
export function notebooks(): Notebook[] {
  const dist = process.env.RELIGHT_DIST ?? resolve("dist");
  return readNotebooks(join(dist, "..", "lib", "notebooks"));
}
