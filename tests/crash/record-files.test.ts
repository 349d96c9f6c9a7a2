/** A server that is given a broken file of keys or classes ends at once: in one line, with its place, without a token. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { temporary } from "./stage";

async function start(env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [join(root, "lib/cli/relight.mjs"), "serve", "--port", "0", "--data", join(temporary(), "data")],
    { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...env } },
  );
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number, out, err };
}

/** It ends with 1, with one line on stderr that begins with the place and says what was expected. */
async function refuses(env: Record<string, string>, place: string, expected: string): Promise<void> {
  const { code, out, err } = await start(env);
  const begin = `INVALID: ${place}: ${expected}`;
  expect(err.slice(0, begin.length)).toBe(begin);
  expect(err).toMatch(/^[^\n]+\n$/);
  expect(err).not.toContain("sesame");
  expect({ code, out }).toEqual({ code: 1, out: "" });
}

// What else may be wrong with them, tests/unit/record-files.test.ts tells of.
test.each<[what: string, line: number, expected: string, content: string]>([
  [
    "a token that is there twice",
    2,
    "expected YAML; duplicate key",
    "sesame: diagnoser\nsesame: remediator/a\n",
  ],
  ["a name that is no text", 2, "expected a name, such as", "sesame-1: diagnoser\nsesame-2: 7\n"],
  ["a token that is a list", 1, "expected a token", "[sesame]: diagnoser\n"],
  ["no YAML in it", 2, "expected YAML", "sesame-1: diagnoser\n}sesame-2: diagnoser\n"],
])("RELIGHT_APIKEYS with %s: exit 1, and why", async (_, line, expected, content) => {
  const file = join(temporary(), "keys.yaml");
  writeFileSync(file, content);
  await refuses({ RELIGHT_APIKEYS: file }, `${file}:${line}`, expected);
});

test("RELIGHT_APIKEYS that is not there: exit 1, and why", async () => {
  const file = join(temporary(), "keys.yaml");
  await refuses({ RELIGHT_APIKEYS: file }, file, "expected a file that can be read; ENOENT");
});

const GOOD = "fields: { note: { mode: value, roles: [mechanic] } }\n";
test.each<[what: string, file: string, line: number, expected: string, content: string]>([
  [
    "an unknown mode",
    "repairs.yaml",
    1,
    "mode: expected value, append or task",
    GOOD.replace("value", "values"),
  ],
  ["no fields", "repairs.yaml", 1, "expected at least one field", "fields: {}\n"],
  [
    "a checkpoint without a task field",
    "repairs.yaml",
    2,
    "expected a field of mode task",
    `${GOOD}checkpoint: { roles: [mechanic], sections: [goal] }\n`,
  ],
  ["a bad name", "Car Repairs.yaml", 1, "expected a file named after its class", GOOD],
  [
    "the name of a class that is built in",
    "incidents.yaml",
    1,
    "expected a class that is not there yet; incidents is",
    GOOD,
  ],
])("RELIGHT_CLASSES with a file with %s: exit 1, and why", async (_, name, line, expected, content) => {
  const folder = temporary();
  writeFileSync(join(folder, name), content);
  await refuses({ RELIGHT_CLASSES: folder }, `${join(folder, name)}:${line}`, expected);
});

test("RELIGHT_CLASSES that is not there: exit 1, and why", async () => {
  const folder = join(temporary(), "classes");
  await refuses({ RELIGHT_CLASSES: folder }, folder, "expected a folder of class files; ENOENT");
});
