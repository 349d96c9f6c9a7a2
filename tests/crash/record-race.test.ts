/** Eight processes claim one field at the same instant: one of them has it, in every round. */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { root } from "../../lib/cli/build.mjs";
import { Book } from "../../lib/records/book";
import { readClasses } from "../../lib/records/classes";
import { Records } from "../../lib/records/records";
import { openSqliteStore } from "../../lib/store";
import type { Outcome } from "../fixtures/record-claimer";
import { fleet } from "./fleet";
import { temporary } from "./stage";

const CLAIMERS = 8;
const ROUNDS = 200;
const CLASSES = join(root, "lib", "records", "classes");

interface Round {
  winners: string[];
  losers: Outcome[];
  /** How many events of each kind the log has. */
  claimed: number;
  refused: number;
}

/** Each round is a fresh record, claimed by all at once. */
async function* rounds(how: "conditional" | "read-then-write"): AsyncGenerator<Round> {
  const path = join(temporary(), "relight.db");
  const store = openSqliteStore({ path, create: { log: "log-1", source: "/relight/test", after: 0 } });
  onTestFinished(() => store.close());
  const records = new Records(new Book(store, readClasses(CLASSES)), {
    principal: "apikey:diagnoser",
    role: "diagnoser",
  });
  const names = Array.from({ length: CLAIMERS }, (_, number) => `remediator/worker-${number}`);
  const claimers = await fleet(
    "record-claimer",
    names.map((name) => [path, CLASSES, name, how]),
  );
  for (let round = 0; round < ROUNDS; round++) {
    const at = { className: "incidents", id: `inc-${round}` };
    await records.create(at, {});
    const outcomes = (await claimers.tell(() => at.id)) as Outcome[];
    const { rows } = await records.history(at, { limit: 100 });
    const count = (type: string) => rows.filter((row) => row.type === `relight.${type}`).length;
    yield {
      winners: names.filter((_, number) => "fence" in (outcomes[number] ?? {})),
      losers: outcomes.filter((outcome) => "code" in outcome),
      claimed: count("field.claimed"),
      refused: count("field.claim_refused"),
    };
  }
}

test(`${ROUNDS} times, one of ${CLAIMERS} wins, and all others are told who`, async () => {
  let seen = 0;
  for await (const { winners, losers, claimed, refused } of rounds("conditional")) {
    seen++;
    expect(winners).toHaveLength(1);
    expect(losers).toEqual(Array(CLAIMERS - 1).fill({ code: "HELD", owner: `apikey:${winners[0]}` }));
    expect({ claimed, refused }).toEqual({ claimed: 1, refused: CLAIMERS - 1 });
  }
  expect(seen).toBe(ROUNDS);
});

test("a claim that is decided before its transaction lets more than one win: the test above can fail", async () => {
  for await (const { winners } of rounds("read-then-write")) if (winners.length > 1) return;
  expect.fail(`No round of ${ROUNDS} had more than one winner.`);
});
