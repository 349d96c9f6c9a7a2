/** The command line, as a person types it. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { AGENT } from "../server";
import { serve } from "./server";
import { CHARGE } from "./stage";

async function relight(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, "lib/cli/relight.mjs"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code: code as number, out, err };
}

test("the demo keeps every promise, and exits with 0", async () => {
  const { code, out } = await relight(["demo"], { RELIGHT_TOOL_MS: "1000" });
  expect(out).toContain("Every promise held (12).");
  expect(out).not.toContain("BROKEN");
  expect(code).toBe(0);
});

test("an interrupt is listed, decided and gone, from a terminal", async () => {
  const server = await serve({ toolMs: 2000 });
  const agent = await server.define();
  const { cursor } = await agent.ask(CHARGE);
  await agent.running({ after: cursor });
  const killed = await agent.kill();
  await agent.runEnd({ after: killed.cursor });
  const at = ["--server", server.url];

  const listed = await relight(["interrupts", ...at]);
  expect(listed.out).toMatch(new RegExp(`^interrupt_\\w+  ${AGENT}  charge_card .*killed by SIGKILL\n$`));
  const id = /^\S+/.exec(listed.out)?.[0] ?? "";
  expect((await relight(["deny", id, ...at])).code).toBe(2);
  const denied = await relight(["deny", id, "--reason", "It went through.", ...at]);
  expect(denied).toMatchObject({
    code: 0,
    err: "",
    out: expect.stringMatching(/^denied: .*by owner: It went through\.\n$/),
  });
  expect(await relight(["approve", id, ...at])).toMatchObject({
    code: 1,
    out: "",
    err: "ALREADY_DECIDED: owner decided this before: denied, “It went through.”.\n",
  });
  expect((await relight(["interrupts", ...at])).out).toBe("Nothing waits for a person.\n");
  expect((await agent.runEnd({ after: killed.cursor })).type).toBe("relight.run.interrupted");

  const log = await relight(["events", "--json", ...at]);
  const sequences = log.out
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { sequence: number }).sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect((await relight(["events", "--after", "3", ...at])).out.split("\n")[0]).toMatch(/^ +4 /);
});

test.each([
  { args: ["nonsense"], code: 2 },
  { args: ["events", "--after", "x"], code: 2 },
  { args: ["approve"], code: 2 },
  { args: ["--help"], code: 0 },
  { args: ["events", "--follow", "--server", "http://127.0.0.1:9"], code: 1 },
])("relight $args exits with $code", async ({ args, code }) => {
  expect((await relight(args)).code).toBe(code);
});
