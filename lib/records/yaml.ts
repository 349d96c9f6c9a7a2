import { readFileSync } from "node:fs";
import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
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
  // Its warnings quote the file.
  const document = parseDocument(text, { lineCounter: lines, logLevel: "error" });
  const [broken] = document.errors;
  if (broken) {
    const line = broken.linePos?.[0].line ?? 1;
    throw new RelightError("INVALID", `${file}:${line}: expected YAML; ${problemOf(broken.code)}.`);
  }
  let content: unknown;
  try {
    content = document.toJS() ?? {};
  } catch {
    throw new RelightError("INVALID", `${file}:1: expected YAML whose aliases have anchors before them.`);
  }
  const parsed = schema.safeParse(content);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const { message = "expected something else" } =
    issue?.code === "invalid_key" ? (issue.issues[0] ?? {}) : (issue ?? {});
  const line = lineOf(issue?.path ?? []);
  throw new RelightError("INVALID", `${file}:${line}: ${message.replace(/^Invalid input: /, "")}.`);

  /** Of the innermost thing on the way that is there. */
  function lineOf(path: readonly PropertyKey[]): number {
    let node: unknown = document.contents;
    let line = 1;
    for (const step of path) {
      const [at, value] = childOf(node, step);
      if (!at?.range) break;
      line = lines.linePos(at.range[0]).line;
      node = value;
    }
    return line;
  }
}

/** An entry of a map or a list: where it begins, and its value. A key may look like a number. */
function childOf(node: unknown, step: PropertyKey): [at: Node | undefined, value: unknown] {
  if (isSeq<Node>(node)) return [node.items[Number(step)], node.items[Number(step)]];
  const pair = isMap<Node>(node)
    ? node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
    : undefined;
  return [pair?.key, pair?.value];
}

/** `DUPLICATE_KEY` → `duplicate key`; the message itself would quote the file. */
const problemOf = (code: string): string => code.toLowerCase().replaceAll("_", " ");
