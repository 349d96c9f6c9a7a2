/** Files of keys and classes that a person wrote, and got wrong: where, what was expected, and never a token. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { readClasses } from "../../lib/records/classes";
import { readKeys } from "../../lib/records/identity";
import { refusal } from "./refusal";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "relight-files-"));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** The file with these lines is refused, at its line, with what was expected. @returns what is said */
function refused(read: (file: string) => unknown, name: string, line: number, lines: string[]): string {
  const file = join(folder(), name);
  writeFileSync(file, lines.map((each) => `${each}\n`).join(""));
  const { code, message } = refusal(() => read(file));
  const place = `${file}:${line}: `;
  expect([code, message.slice(0, place.length)]).toEqual(["INVALID", place]);
  return message.slice(place.length);
}

describe("keys with", () => {
  test.each<[what: string, line: number, expected: RegExp, ...lines: string[]]>([
    ["a token that is there twice", 3, /^expected YAML; duplicate key/, "sesame: a", "# again", "sesame: b"],
    ["a name that is a number", 2, /^expected a name, such as/, "sesame-1: diagnoser", "sesame-2: 7"],
    ["a name that is none", 1, /^expected a name/, "sesame:"],
    ["a name that is a list", 2, /^expected a name/, "sesame-1: diagnoser", "sesame-2: [diagnoser]"],
    ["a name with an empty part", 1, /^expected a name of letters/, "sesame: remediator//worker-1"],
    ["a name with a space", 1, /^expected a name of letters/, "sesame: remediator worker-1"],
    ["a token that is a number, and a bad name", 3, /^expected a name/, "sesame: a", "", "12345: no such"],
    // Its end is looked for up to that of the file.
    ["a quote that is not closed", 3, /^expected YAML/, "sesame-1: diagnoser", "sesame-2: 'sesame-3"],
    ["bad indentation", 1, /^expected YAML/, "sesame-1: diagnoser", "   sesame-2: diagnoser"],
    ["an alias for a token", 1, /^expected YAML/, "*sesame : diagnoser"],
    ["an alias for a name", 1, /^expected YAML/, "token: *sesame"],
    ["a token that is a list", 1, /^expected a token/, "[sesame]: diagnoser"],
    ["a template that was not filled in", 1, /^expected a token/, "{{ sesame }}: diagnoser"],
    ["an empty token", 1, /^expected a token/, "'': sesame"],
    ["a list in place of tokens", 1, /^expected/, "- sesame-1", "- sesame-2"],
    ["a text in place of tokens", 1, /^expected/, "sesame"],
    ["two documents", 2, /^expected YAML/, "sesame-1: diagnoser", "---", "sesame-2: diagnoser"],
  ])("%s", async (_, line, expected, ...lines) => {
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => {});
    onTestFinished(() => warned.mockRestore());
    const said = refused(readKeys, "keys", line, lines);
    expect(said).toMatch(expected);
    // Neither here, nor in a warning on stderr.
    expect(said).not.toContain("sesame");
    expect(warned).not.toHaveBeenCalled();
  });

  test("nothing in them are none", () => {
    const file = join(folder(), "keys");
    writeFileSync(file, "# none yet\n");
    expect(readKeys(file)).toEqual([]);
  });

  test("tokens that look like numbers are tokens", () => {
    const file = join(folder(), "keys");
    writeFileSync(file, "12345: diagnoser\n'007': remediator/worker-1\n");
    expect(readKeys(file)).toEqual([
      { token: "12345", name: "diagnoser" },
      { token: "007", name: "remediator/worker-1" },
    ]);
  });
});

describe("a class with", () => {
  const fields = ["fields:", "  note: { mode: value, roles: [mechanic] }"];
  test.each<[what: string, line: number, expected: RegExp, ...lines: string[]]>([
    [
      "an unknown mode",
      3,
      /^mode: expected value, append or task/,
      "fields:",
      "  note:",
      "    mode: values",
      "    roles: [mechanic]",
    ],
    ["no mode", 2, /^mode: expected/, "fields:", "  note: { roles: [mechanic] }"],
    ["no fields", 1, /^expected at least one field/, "fields: {}"],
    ["nothing in it", 1, /^expected/],
    ["no roles", 2, /^expected at least one/, "fields:", "  note: { mode: value, roles: [] }"],
    [
      "a checkpoint without a task field",
      3,
      /^expected a field of mode task/,
      ...fields,
      "checkpoint: { roles: [mechanic], sections: [goal] }",
    ],
    [
      "a checkpoint without sections",
      5,
      /^expected at least one/,
      ...fields,
      "  work: { mode: task, roles: [mechanic] }",
      "checkpoint:",
      "  sections: []",
      "  roles: [mechanic]",
    ],
    ["a field of a bad name", 3, /^expected a name of small letters/, ...fields, "  My Note: {}"],
    [
      "a field of a name that every object has",
      3,
      /^expected another name than constructor/,
      ...fields,
      "  constructor: { mode: value, roles: [mechanic] }",
    ],
    [
      "a setting that is not known",
      2,
      /colour/,
      "fields:",
      "  note: { mode: value, roles: [mechanic], colour: red }",
    ],
    ["an alias of nothing", 1, /^expected YAML/, "fields: *fields"],
    ["a brace that is not closed", 2, /^expected YAML/, "fields: { note: { mode: value"],
  ])("%s", (_, line, expected, ...lines) => {
    const read = (file: string) => readClasses(join(file, ".."));
    expect(refused(read, "repairs.yaml", line, lines)).toMatch(expected);
  });

  test("a name that no class may have", () => {
    const read = (file: string) => readClasses(join(file, ".."));
    expect(refused(read, "Car Repairs.yaml", 1, fields)).toMatch(/^expected a file named after its class/);
  });

  test("all that it needs is read, whatever lies beside it", () => {
    const path = folder();
    writeFileSync(join(path, "repairs.yml"), fields.join("\n"));
    writeFileSync(join(path, "README.md"), "Not a class.");
    expect(Object.fromEntries(readClasses(path))).toEqual({
      repairs: { fields: { note: { mode: "value", roles: ["mechanic"] } } },
    });
  });
});
