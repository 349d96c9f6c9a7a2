/** Every built-in notebook, cell by cell, as a reader without a page runs it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { serve } from "./server";
import { temporary } from "./stage";

/** Runs the command line. */
async function relight(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = spawn(process.execPath, [join(root, "lib/cli/relight.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number, out, err };
}

interface Line {
  cell?: string;
  output?: { kind: string; text?: string; content?: { text: string }[]; rows?: string[][] };
}

/** What each cell showed. */
function shown(out: string): Record<string, NonNullable<Line["output"]>[]> {
  const cells: Record<string, NonNullable<Line["output"]>[]> = {};
  let current = "";
  for (const line of out.trim().split("\n")) {
    const { cell, output } = JSON.parse(line) as Line;
    if (cell !== undefined) current = cell;
    if (output) cells[current] = [...(cells[current] ?? []), output];
  }
  return cells;
}

test("“Pull the plug” runs from top to bottom, and every claim of its prose holds", async () => {
  const server = await serve({ toolMs: 1000 });
  const file = join(root, "lib/notebooks/pull-the-plug.md");
  const { code, out, err } = await relight("run", file, "--server", server.url, "--json");
  expect(err).toBe("");
  expect(code).toBe(0);
  const cells = shown(out);
  expect(cells.tools?.[0]).toMatchObject({ kind: "source", code: expect.stringContaining("check_stock") });
  expect(cells.kill?.[0]?.text).toMatch(/^pid \d+ was killed with SIGKILL in the middle of check_stock$/);
  expect(cells.answer?.[0]?.text).toBe("SKU-7: 3 in stock.");
  expect(cells.ran?.[0]?.text).toBe("{ check_stock: 2 }");
  const story = cells.events?.[0]?.rows
    ?.map(([, type]) => type)
    .filter((type) => /call.started|crashed/.test(type ?? ""));
  expect(story).toEqual(["call.started", "agent.crashed", "call.started"]);
  expect(cells.interrupted?.[0]?.text).toBe("relight.run.interrupted");
  expect(cells.decide?.[0]?.content?.[0]?.text).toBe(
    "It went through. I checked the bank.\n\nTimes charge_card ran: 1",
  );
  expect(cells.bank?.[0]?.rows).toHaveLength(1);
});

test("“Take over” runs from top to bottom, and every claim of its prose holds", async () => {
  const server = await serve({ toolMs: 500 });
  const file = join(root, "lib/notebooks/take-over.md");
  const { code, out, err } = await relight("run", file, "--server", server.url, "--json");
  expect(err).toBe("");
  expect(code).toBe(0);
  const cells = shown(out);
  const last = (id: string) => cells[id]?.at(-1)?.text;
  expect(last("die")).toMatch(/^worker-2 claimed: HELD by apikey:remediator\/worker-1, for \d+ ms more$/);
  expect(last("lapsed")).toContain('state: "lapsed"');
  expect(cells.wake?.[0]?.text).toContain("cordoned; 4 of 11 pods evicted");
  expect(cells.wake?.[1]?.rows).toContainEqual(
    expect.arrayContaining([
      "planned_action",
      "apikey:diagnoser",
      "eviction caused a second outage on node-4",
    ]),
  );
  expect(cells.takeover?.[0]?.text).toBe(
    "apikey:remediator/worker-2, fence 2, displaced apikey:remediator/worker-1, fence 1",
  );
  expect(last("cluster")).toContain("evicted: 4 ");
  expect(last("ignored")).toContain("evicted: 11 ");
  expect(last("zombie")).toContain("SUPERSEDED");
  expect(last("eleven")).toContain("evicted: 11 ");
  const rows = cells.history?.[0]?.rows ?? [];
  expect(rows.map(([, type]) => type)).toContain("field.taken_over");
});

test.each([
  ["a cell that throws", "throw new Error('no')", /Error: no \(line 1\)/],
  ["a cell that cannot be parsed", "const = 1", /INVALID: line 1: /],
  ["a button that nobody presses", "show.buttons({ Go: () => {} })", /its fence names no button/],
])("%s fails the run, naming the cell", async (_what, code, says) => {
  const server = await serve();
  const file = join(temporary(), "broken.md");
  writeFileSync(
    file,
    `---\ntitle: B\nminutes: 1\nlearns: [a]\n---\n\n\`\`\`ts fine\n1\n\`\`\`\n\n\`\`\`ts bad\n${code}\n\`\`\`\n`,
  );
  const ran = await relight("run", file, "--server", server.url);
  expect(ran.code).toBe(1);
  expect(ran.out).toMatch(says);
  expect(ran.out).toContain(`${file}:11: the cell bad failed.`);
});

test("without a server, one line says so", async () => {
  const file = join(root, "lib/notebooks/pull-the-plug.md");
  const { code, err } = await relight("run", file, "--server", "http://127.0.0.1:9");
  expect(code).toBe(1);
  expect(err).toMatch(/^UNAVAILABLE: No server answers at http:\/\/127\.0\.0\.1:9 .*\n$/);
});
