/** Processes of one fixture that are told something at the same instant. */
import { fork, type Serializable } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { root } from "../../lib/cli/build.mjs";

export interface Fleet {
  /** Tells each process something, once all have answered what they were told before. @returns their answers */
  tell(what: (index: number) => Serializable): Promise<unknown[]>;
}

/**
 * Starts them; they end with the test.
 * @param args of each one
 * @returns once each has said that it is ready
 */
export async function fleet(fixture: string, args: readonly string[][]): Promise<Fleet> {
  const died = new AbortController();
  const members = args.map((each) => fork(join(root, "tests", ".built", `${fixture}.mjs`), each));
  onTestFinished(() => {
    for (const member of members) member.kill("SIGKILL");
  });
  for (const member of members) {
    member.once("exit", (code, signal) => died.abort(new Error(`${fixture} died: ${signal ?? code}.`)));
  }
  // One that is dead says nothing: whoever waits for it learns why.
  const said = members.map((member) => async () => {
    const [message] = (await once(member, "message", { signal: died.signal })) as [unknown];
    return message;
  });
  await Promise.all(said.map((next) => next()));
  return {
    async tell(what) {
      const answers = said.map((next) => next());
      for (const [index, member] of members.entries()) member.send(what(index));
      return Promise.all(answers);
    },
  };
}
