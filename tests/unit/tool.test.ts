import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  defineTool,
  saysItDidNotHappen,
  type Tool,
  type ToolContext,
  ToolError,
} from "../../lib/agents/tool";
import { tools } from "../../lib/capabilities/shop";
import { World } from "../../lib/world";

const context: ToolContext = {
  agent: "acme/@maria/shop",
  run: "run-1",
  call: "call-1",
  attempt: 1,
  idempotencyKey: "call-1",
  signal: new AbortController().signal,
};
const book = {
  name: "book",
  description: "Books a table.",
  schema: z.object({ guests: z.int().positive(), name: z.string().trim().default("nobody") }),
};

describe("a defined tool", () => {
  test("is not trusted to be safe to run again unless it says so, and has half a minute", () => {
    const tool = defineTool({ ...book, run: () => "Booked." });
    expect(tool).toMatchObject({ name: "book", description: "Books a table." });
    expect(tool).toMatchObject({ readOnly: false, idempotent: false, timeoutMs: 30_000 });
  });

  test("that only reads is no safer for it: the two promises are apart", () => {
    const tool = defineTool({ ...book, annotations: { readOnly: true }, run: () => "Booked." });
    expect(tool).toMatchObject({ readOnly: true, idempotent: false });
  });

  test("keeps what it says", () => {
    const annotations = { idempotent: true };
    expect(defineTool({ ...book, annotations, timeoutMs: 5, run: () => "" })).toMatchObject({
      readOnly: false,
      idempotent: true,
      timeoutMs: 5,
    });
  });

  test("describes its input as JSON Schema, from the caller's side: what has a default is not required", () => {
    const { schema } = defineTool({ ...book, run: () => "" });
    expect(JSON.parse(JSON.stringify(schema))).toMatchObject({
      type: "object",
      properties: { guests: { type: "integer" }, name: { type: "string", default: "nobody" } },
      required: ["guests"],
    });
  });

  test("reads its input as its schema says, with defaults filled in", () => {
    const tool = defineTool({ ...book, run: () => "" });
    expect(tool.parse({ guests: 2, name: " Maria " })).toEqual({
      ok: true,
      input: { guests: 2, name: "Maria" },
    });
    expect(tool.parse({ guests: 2 })).toEqual({ ok: true, input: { guests: 2, name: "nobody" } });
  });

  test.each([[{}], [{ guests: "two" }], [{ guests: -1 }], [null], ["two guests"]])(
    "refuses %j in one line",
    (came) => {
      const parsed = defineTool({ ...book, run: () => "" }).parse(came);
      expect(parsed).toEqual({ ok: false, message: expect.stringMatching(/^[^\n]+$/) });
    },
  );

  test("names the argument that is wrong", () => {
    const parsed = defineTool({ ...book, run: () => "" }).parse({ guests: "two", name: 7 });
    expect(parsed).toMatchObject({ message: expect.stringMatching(/guests.*name/) });
  });

  test("hands its input and the call's context to what it runs", async () => {
    const tool = defineTool({
      ...book,
      run: async (input, { call, attempt }) => ({ ...input, call, attempt }),
    });
    expect(await tool.run({ guests: 2, name: "Maria" }, context)).toEqual({
      guests: 2,
      name: "Maria",
      call: "call-1",
      attempt: 1,
    });
  });
});

describe("a throw says that it did not happen", () => {
  // A tool may come from another bundle than the process that runs it, with its own copy of the class.
  class Copy extends Error {
    override readonly name = "ToolError";
  }
  test.each<[string, unknown, boolean]>([
    ["a ToolError", new ToolError("no such card"), true],
    ["another copy of it", new Copy("no such card"), true],
    ["any other error", new Error("socket hang up"), false],
    ["an abort", new DOMException("aborted", "AbortError"), false],
    ["a thing that only looks like it", { name: "ToolError", message: "no" }, false],
    ["nothing", undefined, false],
  ])("%s: %#", (_, thrown, expected) => expect(saysItDidNotHappen(thrown)).toBe(expected));
});

describe("the shop", () => {
  let directory: string;
  let shop: Record<string, Tool>;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "relight-shop-"));
    const world = join(directory, "world.db");
    new World(world, { create: true }).close();
    shop = Object.fromEntries(tools({ world, toolMs: 0 }).map((tool) => [tool.name, tool]));
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  test("promises that a look at the stock may run again, and makes no such promise of a charge", () => {
    expect(shop.check_stock).toMatchObject({ readOnly: true, idempotent: true });
    expect(shop.charge_card).toMatchObject({ readOnly: false, idempotent: false });
  });

  test("answers with the stock, and with what it charged", async () => {
    expect(await shop.check_stock?.run({ sku: "SKU-7" }, context)).toMatch(/SKU-7.+3/);
    expect(await shop.charge_card?.run({ amount: 40, order: "1042" }, context)).toContain("$40");
  });

  test.each([
    [{ amount: 40 }, true],
    [{ amount: 40, order: "1042" }, true],
    [{ amount: 0 }, false],
  ] as const)("takes whole dollars, the order is optional: %j", (came, ok) =>
    expect(shop.charge_card?.parse(came).ok).toBe(ok),
  );

  test.each([[{ amount: -40 }], [{ amount: 19.99 }], [{ amount: "40" }], [{ order: "1042" }]])(
    "refuses to charge %j",
    (came) => expect(shop.charge_card?.parse(came).ok).toBe(false),
  );
});
