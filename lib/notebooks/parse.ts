/** A notebook is a Markdown file: metadata, prose, `mermaid` diagrams, and `ts` cells. This reads one. */
import type { Code, Root, RootContent, Yaml } from "mdast";
import remarkFrontmatter from "remark-frontmatter";
import remarkParse from "remark-parse";
import { unified } from "unified";
import { parseDocument } from "yaml";
import { z } from "zod";
import { RelightError } from "../errors";

export type Block =
  /** Markdown as written, up to the next cell or diagram. */
  | { kind: "prose"; line: number; markdown: string }
  | { kind: "diagram"; line: number; source: string }
  | {
      kind: "cell";
      line: number;
      /** Short, and unique in its notebook: what outputs and edits are kept under. */
      id: string;
      code: string;
      /** The button that is pressed where nobody is there to press one. */
      press: string | null;
    };

export type Cell = Extract<Block, { kind: "cell" }>;

export interface Notebook {
  /** Its file's name without `.md`. */
  slug: string;
  title: string;
  /** How long it takes to walk through. */
  minutes: number;
  /** What one learns. */
  learns: string[];
  blocks: Block[];
}

const metadata = z.strictObject({
  title: z.string().min(1),
  minutes: z.int().positive(),
  learns: z.array(z.string().min(1)).min(1),
});

const CELL_INFO = /^([a-z][a-z0-9-]{0,30})(?:\s+press="([^"]+)")?$/;

/**
 * Reads a notebook.
 * @param file its name, for errors
 * @throws INVALID with file, line and what was expected
 */
export function parseNotebook(file: string, text: string): Notebook {
  const tree = unified().use(remarkParse).use(remarkFrontmatter, ["yaml"]).parse(text);
  const slug = file.replace(/^.*\//, "").replace(/\.md$/, "");
  return { slug, ...metadataOf(file, tree), blocks: blocksOf(file, text, tree) };
}

function metadataOf(file: string, { children: [first] }: Root): z.infer<typeof metadata> {
  if (first?.type !== "yaml")
    throw broken(file, 1, "expected metadata between two lines of ---, first of all");
  const yaml: Yaml = first;
  const document = parseDocument(yaml.value);
  const [error] = document.errors;
  // The metadata begins on the line after the first ---.
  if (error) throw broken(file, 1 + (error.linePos?.[0].line ?? 0), error.message.split("\n", 1)[0] ?? "");
  const parsed = metadata.safeParse(document.toJS());
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw broken(file, 1, `metadata: ${issue?.path.join(".") || "it"}: ${issue?.message}`);
}

function blocksOf(file: string, text: string, tree: Root): Block[] {
  const blocks: Block[] = [];
  const lines = new Map<string, number>();
  let prose: RootContent[] = [];
  const endProse = () => {
    const [first, last] = [prose[0], prose.at(-1)];
    prose = [];
    if (!first || !last) return;
    const markdown = text.slice(first.position?.start.offset, last.position?.end.offset);
    blocks.push({ kind: "prose", line: lineOf(first), markdown });
  };
  for (const node of tree.children) {
    if (node.type === "yaml") continue;
    if (node.type !== "code" || (node.lang !== "ts" && node.lang !== "mermaid")) {
      prose.push(node);
      continue;
    }
    endProse();
    const line = lineOf(node);
    if (node.lang === "mermaid") {
      blocks.push({ kind: "diagram", line, source: node.value });
      continue;
    }
    const cell = cellOf(file, node);
    const earlier = lines.get(cell.id);
    if (earlier !== undefined) throw broken(file, line, `the id ${cell.id} is line ${earlier}'s already`);
    lines.set(cell.id, line);
    blocks.push(cell);
  }
  endProse();
  if (lines.size === 0) throw broken(file, 1, "expected at least one cell (```ts id)");
  return blocks;
}

function cellOf(file: string, node: Code): Cell {
  const line = lineOf(node);
  const [, id, press] = CELL_INFO.exec(node.meta ?? "") ?? [];
  if (id === undefined) {
    throw broken(
      file,
      line,
      `expected \`\`\`ts and a short id, perhaps press="a button"; came ts ${node.meta ?? ""}`,
    );
  }
  return { kind: "cell", line, id, code: node.value, press: press ?? null };
}

const lineOf = (node: RootContent): number => node.position?.start.line ?? 0;

const broken = (file: string, line: number, expected: string): RelightError =>
  new RelightError("INVALID", `${file}:${line}: ${expected}.`, { file, line });
