/** The notebooks that stand in a folder. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Notebook, parseNotebook } from "./parse";

/** @throws INVALID if one of them is broken, with file and line */
export function readNotebooks(folder: string): Notebook[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(".md"))
    .sort()
    .map((name) => readNotebook(join(folder, name)));
}

/** @throws INVALID if it is broken, or cannot be read */
export function readNotebook(file: string): Notebook {
  return parseNotebook(file, readFileSync(file, "utf8"));
}
