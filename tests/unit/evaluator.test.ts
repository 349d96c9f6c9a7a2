import { describe, expect, test } from "vitest";
import { Evaluator } from "../../lib/notebooks/evaluator";

/** Runs cells in order. @returns the value of the last */
async function run(...cells: string[]): Promise<unknown> {
  const evaluator = new Evaluator({ given: 7, show: { text: (text: string) => `shown ${text}` } });
  let value: unknown;
  for (const [index, code] of cells.entries()) value = await evaluator.run(`c${index}`, code);
  return value;
}

describe("a cell's value is its last expression", () => {
  test.each([
    ["1 + 1", 2],
    ["const a = 1;\na + 1;", 2],
    ["await Promise.resolve(3)", 3],
    ["({ a: 1 })", { a: 1 }],
    ["const a = 1", undefined],
    ["if (true) { 1 }", undefined],
    ["", undefined],
    ["// only a comment", undefined],
    ["'x' // with a comment behind", "x"],
    ["[1, 2].map((n) => n * 2)", [2, 4]],
    ["const s = `a\n;b`; s", "a\n;b"],
    ["given + 1", 8],
    ["show.text('it')", "shown it"],
  ])("%s", async (code, value) => {
    expect(await run(code)).toEqual(value);
  });
});

describe("names carry over", () => {
  test.each([
    ["const", ["const a = 1", "a"], 1],
    ["let, changed later", ["let a = 1", "a += 1", "a"], 2],
    ["var", ["var a = 1", "a"], 1],
    ["several at once", ["const a = 1, b = a + 1;\nlet c", "[a, b, c]"], [1, 2, undefined]],
    [
      "destructuring",
      ["const { a, b: [c, ...d], ...e } = { a: 1, b: [2, 3, 4], f: 5 }", "[a, c, d, e]"],
      [1, 2, [3, 4], { f: 5 }],
    ],
    ["with defaults", ["const { a = 1, b: { c } = { c: 2 } } = {}", "[a, c]"], [1, 2]],
    ["a function", ["function add(a, b) { return a + b }", "add(1, 2)"], 3],
    [
      "a function, called above where it stands",
      ["const three = add(1, 2)\nfunction add(a, b) { return a + b }", "three"],
      3,
    ],
    ["an async function", ["async function f() { return 4 }", "await f()"], 4],
    ["a generator", ["function* g() { yield 1; yield 2 }", "[...g()]"], [1, 2]],
    ["a class", ["class A { static n = 5 }", "new A() instanceof A && A.n"], 5],
    ["a closure over what changes later", ["let n = 1\nconst read = () => n", "n = 2", "read()"], 2],
    [
      "a function that uses a later cell's name",
      ["function f() { return later }", "const later = 6", "f()"],
      6,
    ],
    ["declared again when a cell is run again", ["const a = 1", "const a = 2", "a"], 2],
    ["shadowed inside a function", ["const a = 1\nfunction f(a) { return a }", "[a, f(2)]"], [1, 2]],
    ["shadowed inside a block", ["const a = 1\n{ const a = 2 }", "a"], 1],
    ["a name of the platform, declared", ["const name = 'mine'", "name"], "mine"],
    ["after an await", ["const a = await Promise.resolve(1)", "a"], 1],
    ["semicolons left out", ["const a = [1]\nconst b = a\n;[2].forEach((n) => b.push(n))", "b"], [1, 2]],
  ])("%s", async (_what, cells, value) => {
    expect(await run(...cells)).toEqual(value);
  });
});

test("types are stripped", async () => {
  const code = `interface Point { x: number }
type Pair = [Point, Point];
const at = (p: Point): number => p.x as number;
const pair: Pair = [{ x: 1 }, { x: 2 }] satisfies Pair;
pair.map(at)`;
  expect(await run(code)).toEqual([1, 2]);
});

test("platform functions are called as they must be", async () => {
  expect(await run("await new Promise((done) => setTimeout(() => done(structuredClone(1)), 0))")).toBe(1);
});

describe("errors say where", () => {
  const fail = async (code: string): Promise<unknown> => run(code).catch((error: unknown) => error);

  test.each([
    ["a throw", "const a = 1;\n\nthrow new Error('no')", 3],
    ["a throw in a function", "function f() {\n  throw new Error('no')\n}\n\nf()", 2],
    ["a throw after an await", "await null\nnull.x", 2],
    ["in what TypeScript stripped", "type A = {\n  a: 1\n}\nconst a: A = null as never\na.a", 5],
    ["a name that nobody declared", "\nnobody", 2],
    ["an assignment to one", "\nnobody = 1", 2],
  ])("%s", async (_what, code, line) => {
    const error = await fail(code);
    expect(error).toBeInstanceOf(Error);
    expect(Evaluator.lineOf("c0", error)).toBe(line);
  });

  test.each([
    ["const a = ;", 1],
    ["\n\nconst = 1", 3],
    ["let a = 1\nlet a = 2", 2],
    ["import fs from 'node:fs'", 1],
    ["export const a = 1", 1],
    ["return 1", 1],
  ])("one that cannot be parsed: %j", async (code, line) => {
    expect(await fail(code)).toMatchObject({ code: "INVALID", details: { line } });
  });

  test("a cell that fails leaves the names of those before it", async () => {
    const evaluator = new Evaluator({});
    await evaluator.run("a", "const a = 1");
    await evaluator.run("b", "const b = 2; throw new Error('no')").catch(() => {});
    expect(await evaluator.run("c", "[a, b]")).toEqual([1, 2]);
  });
});
