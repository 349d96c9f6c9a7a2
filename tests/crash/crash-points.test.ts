/** The agent's process is killed once at every named point of its life, for every kind of tool. */
import { expect, test } from "vitest";
import { everyAskIsAnswered, promisesHold } from "./promises";
import { AGENT, CHARGE, STOCK, Stage } from "./stage";

const COMMITS = [
  "run-started",
  "turn-saved",
  "call-started",
  "call-completed",
  "run-completed",
  "interrupt-opened",
  "run-interrupted",
  "agent-stopped",
];
const POINTS = [
  "before-agent-started",
  "inside-agent-started",
  "after-agent-started",
  ...COMMITS.flatMap((commit) => [`before-${commit}`, `inside-${commit}`, `after-${commit}`]),
  "before-effect",
  "after-effect",
];

/** An interrupt is only opened after a crash, so there the first kill comes from the test. */
const comesAfterACrash = (at: string): boolean => at.includes("interrupt");
/** Only a charge reaches outside, and only it can be in doubt. */
const isOfCharges = (at: string): boolean => /interrupt|effect/.test(at);
/** Dying here is not a crash that the log tells of: nobody had claimed yet, or had left already. */
const UNTOLD = ["before-agent-started", "inside-agent-started", "after-agent-stopped"];

const cases = POINTS.flatMap((at) =>
  [
    { at, kind: "a lookup", ask: STOCK },
    { at, kind: "a charge", ask: CHARGE },
  ].filter(({ ask }) => ask === CHARGE || !isOfCharges(at)),
);

test.each(cases)("killed once at $at of $kind", async ({ at, ask }) => {
  const stage = await Stage.open({ toolMs: comesAfterACrash(at) ? 300 : 0 });
  if (!comesAfterACrash(at)) stage.arm(at);
  const asked = await stage.ask(ask);
  if (comesAfterACrash(at)) {
    await stage.call(asked);
    stage.arm(at);
    await stage.agents.kill(AGENT);
  }

  const end = await stage.settle(asked);
  expect(end.type).toBe("relight.run.completed");
  // One that dies while it leaves has nothing left to come back for; it is buried all the same.
  if (at === "after-agent-stopped") await stage.event("relight.agent.stopped", end.sequence);
  else if (at.endsWith("agent-stopped")) await stage.event("relight.agent.crashed", end.sequence);
  const next = await stage.settle(await stage.ask(STOCK));
  expect(next.type).toBe("relight.run.completed");

  const died = (await stage.log()).filter(({ type }) => type === "relight.agent.crashed").length;
  expect(died).toBe(Number(comesAfterACrash(at)) + Number(!UNTOLD.includes(at)));
  const { toolRuns, bank } = await stage.playground.world();
  expect(toolRuns.charge_card ?? 0).toBeLessThanOrEqual(1);
  expect(bank.length).toBeLessThanOrEqual(1);
  everyAskIsAnswered(await stage.log());
  await promisesHold(stage.playground.folder.store);
});

test("a run whose every call is idempotent ends in the same conversation as one that was never killed", async () => {
  const spoken = async (at: string | null) => {
    const stage = await Stage.open({ toolMs: 0 });
    if (at) stage.arm(at);
    await stage.end(await stage.ask("How many SKU-7 and SKU-8?"));
    const messages = await stage.agents.messages(AGENT);
    // Call ids are made for each playground; everything else must agree.
    return JSON.stringify(messages).replace(/call_\w+/g, "call");
  };
  const undisturbed = await spoken(null);
  for (const at of [
    "after-run-started",
    "inside-turn-saved",
    "after-call-started",
    "before-call-completed",
  ]) {
    expect(await spoken(at)).toBe(undisturbed);
  }
});
