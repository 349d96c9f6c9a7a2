import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { parseNotebook } from "../../lib/notebooks/parse";

const HEAD = "---\ntitle: A title\nminutes: 5\nlearns:\n  - a thing\n---\n";

test("prose, diagrams and cells come in order, each with its line", () => {
  const text = `${HEAD}
# One

Some *prose*.

\`\`\`mermaid
flowchart LR
\`\`\`

\`\`\`ts first
1 + 1
\`\`\`

\`\`\`sh
not a cell
\`\`\`

\`\`\`ts second-one press="Yes, go"
show.buttons({})
\`\`\`
`;
  expect(parseNotebook("lib/notebooks/a-title.md", text)).toEqual({
    slug: "a-title",
    title: "A title",
    minutes: 5,
    learns: ["a thing"],
    blocks: [
      { kind: "prose", line: 8, markdown: "# One\n\nSome *prose*." },
      { kind: "diagram", line: 12, source: "flowchart LR" },
      { kind: "cell", line: 16, id: "first", code: "1 + 1", press: null },
      { kind: "prose", line: 20, markdown: "```sh\nnot a cell\n```" },
      { kind: "cell", line: 24, id: "second-one", code: "show.buttons({})", press: "Yes, go" },
    ],
  });
});

describe("a broken one is refused with file and line", () => {
  const cell = "\n```ts a\n1\n```\n";
  test.each([
    ["no metadata", `# Title\n${cell}`, /^n\.md:1: expected metadata/],
    ["metadata that is no YAML", `---\ntitle: "A\nminutes: 1\n---\n${cell}`, /^n\.md:[234]: /],
    ["no title", `---\nminutes: 1\nlearns: [a]\n---\n${cell}`, /^n\.md:1: metadata: title/],
    [
      "minutes that are no number",
      `---\ntitle: A\nminutes: soon\nlearns: [a]\n---\n${cell}`,
      /metadata: minutes/,
    ],
    [
      "an unknown key",
      `---\ntitle: A\nminutes: 1\nlearns: [a]\ncolour: red\n---\n${cell}`,
      /^n\.md:1: metadata/,
    ],
    ["a cell without an id", `${HEAD}\n\`\`\`ts\n1\n\`\`\`\n`, /^n\.md:8: expected ```ts and a short id/],
    ["an id twice", `${HEAD}${cell}${cell}`, /^n\.md:12: the id a is line 8's already/],
    ["no cell", `${HEAD}\nOnly prose.\n`, /^n\.md:1: expected at least one cell/],
  ])("%s", (_what, text, message) => {
    expect(() => parseNotebook("n.md", text)).toThrow(
      expect.objectContaining({ code: "INVALID", message: expect.stringMatching(message) }),
    );
  });
});

test("every built-in notebook can be read", () => {
  const file = join(root, "lib/notebooks/pull-the-plug.md");
  expect(parseNotebook(file, readFileSync(file, "utf8")).slug).toBe("pull-the-plug");
});
