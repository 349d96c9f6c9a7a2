/** Classes of records: which fields one has, who may write them, and what a checkpoint must carry. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, RelightError } from "../errors";
import { readYaml } from "./yaml";

const NAME = /^[a-z][a-z0-9_-]{0,60}$/;
const name = z
  .string()
  .regex(NAME, "expected a name of small letters, digits, _ and -")
  // Every object has that already.
  .refine((given) => given !== "constructor", "expected another name than constructor");
const names = z.array(name).min(1, "expected at least one");

/** `value` is replaced, `append` grows, `task` is a value that is written under a lease. */
export type Mode = "value" | "append" | "task";

const recordClass = z
  .strictObject({
    fields: z
      .record(
        name,
        z.strictObject({
          mode: z.enum(["value", "append", "task"], "mode: expected value, append or task"),
          roles: names,
        }),
      )
      .refine((fields) => Object.keys(fields).length > 0, "expected at least one field"),
    checkpoint: z.strictObject({ roles: names, sections: names }).optional(),
  })
  .refine(
    ({ fields, checkpoint }) => !checkpoint || Object.values(fields).some(({ mode }) => mode === "task"),
    {
      path: ["checkpoint"],
      message: "expected a field of mode task beside it, whose lease lets a checkpoint be saved",
    },
  );

export type RecordClass = z.infer<typeof recordClass>;
export type Classes = ReadonlyMap<string, RecordClass>;

/**
 * Reads every class of some folders: `<class>.yaml` each.
 * @throws INVALID with file, line and what was expected
 */
export function readClasses(...folders: string[]): Classes {
  const classes = new Map<string, RecordClass>();
  for (const folder of folders) {
    for (const file of filesOf(folder)) {
      const path = join(folder, file);
      const name = file.replace(/\.ya?ml$/, "");
      if (!NAME.test(name))
        throw broken(path, "expected a file named after its class: small letters, digits, _ and -");
      if (classes.has(name)) throw broken(path, `expected a class that is not there yet; ${name} is`);
      classes.set(name, readYaml(path, recordClass));
    }
  }
  return classes;
}

function filesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((file) => /\.ya?ml$/.test(file))
      .sort();
  } catch (error) {
    throw broken(folder, `expected a folder of class files; ${messageOf(error)}`, "");
  }
}

const broken = (path: string, why: string, line = ":1"): RelightError =>
  new RelightError("INVALID", `${path}${line}: ${why}.`);
