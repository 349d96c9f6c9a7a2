import { readFileSync } from "node:fs";
import { LineCounter, parseDocument } from "yaml";
import type { ZodType } from "zod";
import { messageOf, RelightError } from "../errors";

/**
 * Reads a YAML file that a person wrote.
 * @throws INVALID with file, line and what was expected. Values are never quoted: one may be a secret
 */
export function readYaml<T>(file: string, schema: ZodType<T>): T {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    throw new RelightError("INVALID", `${file}: expected a file that can be read; ${messageOf(error)}.`);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken) {
    const line = broken.linePos?.[0].line ?? 1;
    throw new RelightError("INVALID", `${file}:${line}: expected YAML; ${problemOf(broken.code)}.`);
  }
  const parsed = schema.safeParse(document.toJS() ?? {});
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0] ?? { path: [], message: "expected something else" };
  throw new RelightError("INVALID", `${file}:${lineOf(path)}: ${message.replace(/^Invalid input: /, "")}.`);

  /** Of the innermost thing on the way that is there. */
  function lineOf(path: readonly PropertyKey[]): number {
    for (let depth = path.length; depth > 0; depth--) {
      const node = document.getIn(path.slice(0, depth), true) as { range?: [number] } | undefined;
      if (node?.range) return lines.linePos(node.range[0]).line;
    }
    return 1;
  }
}

/** `DUPLICATE_KEY` → `duplicate key`; the message itself would quote the file. */
const problemOf = (code: string): string => code.toLowerCase().replaceAll("_", " ");
