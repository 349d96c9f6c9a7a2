import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { connect } from "../client";
import { CLAUDE, SCRIPTED } from "../client/model-names";
import { RelightError } from "../errors";
import { readNotebook } from "../notebooks/files";
import { runHeadless } from "../notebooks/headless";
import { plain } from "../notebooks/output";
import { print } from "./print";

/**
 * Runs a notebook against a server, printing what each cell shows.
 * @param model what its cells read as `relight.model`; Claude unless given, if the server has a key
 * @returns whether a cell failed
 * @throws INVALID if it is broken; UNAVAILABLE if no server answers
 */
export async function run(file: string, server: string, json: boolean, model?: string): Promise<boolean> {
  if (!existsSync(file))
    throw new RelightError("INVALID", `expected a notebook's file; there is no ${file}.`);
  const notebook = readNotebook(file);
  const { present } = await connect(server).secrets.anthropic();
  const failed = await runHeadless({
    notebook,
    server,
    model: model ?? (present ? CLAUDE : SCRIPTED),
    dist: fileURLToPath(new URL(".", import.meta.url)),
    started: ({ id, line }) => print(json, { cell: id, line }, `\n── ${id} (line ${line})`),
    shown: (output) => print(json, { output }, plain(output)),
  });
  const told = failed
    ? { line: `${file}:${failed.line}: the cell ${failed.id} failed.`, cell: failed.id }
    : { line: `Every cell of ${file} ran.`, cell: null };
  print(json, { failed: told.cell }, `\n${told.line}`);
  return failed !== null;
}
