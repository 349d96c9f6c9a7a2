/** What Claude says while it speaks: for those who listen, and nowhere else until its turn is saved. */
import { expect, test } from "vitest";
import { gate, overloadedAfter, say } from "../fixtures/messages-replies";
import { claude, listen, typed } from "./claude-stage";
import { until } from "./os";
import { promisesHold } from "./promises";
import { AGENT } from "./stage";

/** The events before a text's first piece: the message's and the block's beginnings, and a ping. */
const BEGUN = 3;
const PIECES = 8;

test("it is heard as it comes, in whole by who comes late, and is in no event before it is saved", async () => {
  const { stage, api } = await claude();
  const [first, second] = [gate(), gate()];
  const whole = "One two three four five six seven eight.";
  const holds = [
    { after: BEGUN + PIECES / 2, until: first.opened },
    { after: BEGUN + PIECES - 1, until: second.opened },
  ];
  api.reply(say(whole, { holds }));
  const early = listen(stage);
  const asked = await stage.ask("Count.");
  await early.until("half of it was heard", () => early.text().length >= whole.length / 2);
  expect(whole.startsWith(early.text())).toBe(true);
  expect(JSON.stringify(await stage.log())).not.toContain("One");

  const late = listen(stage);
  first.open();
  await late.until("the rest was heard", () => late.text().length > whole.length * 0.8);
  expect(late.heard[0]).toMatchObject({ agent: AGENT, turn: 1, from: 0, waiting: null });
  expect(whole.startsWith(late.text())).toBe(true);
  expect(late.text()).toBe(early.text());
  // Each piece for itself to whoever has the others, behind a beginning that makes void what was said before.
  expect(early.heard[0]).toMatchObject({ from: 0, text: "" });
  const pieces = early.heard.filter(({ text }) => text !== "");
  expect(pieces.map(({ from }) => from > 0)).toEqual(pieces.map((_, at) => at > 0));
  expect(typed(await stage.log(), "relight.turn.saved")).toEqual([]);

  second.open();
  expect((await stage.end(asked)).data).toMatchObject({ answer: whole });

  // What was said before the model is tried again is void.
  early.heard.length = 0;
  const trouble = overloadedAfter(BEGUN + PIECES, say("This goes nowhere."));
  // Long enough that no reader is too slow to hear of it.
  api.reply({ ...trouble, headers: { "retry-after-ms": "500" } }, say("This is what it says."));
  expect((await stage.end(await stage.ask("Well?"))).data).toMatchObject({ answer: "This is what it says." });
  const wait = early.heard.findIndex(({ waiting }) => waiting !== null);
  expect(early.heard[wait]).toMatchObject({
    from: 0,
    text: "",
    waiting: { why: "overloaded, trying again in 0.5 s", until: expect.any(Number) },
  });
  expect(early.heard.slice(wait).every(({ text }) => !text.includes("nowhere"))).toBe(true);
});

test("a process that is killed while the model speaks: nothing is saved, it is asked again, and answers once", async () => {
  const { stage, api } = await claude();
  const [never, later] = [gate(), gate()];
  const answer = "No: it was the worst of times, by far.";
  api.reply(
    say("It was the best.", { holds: [{ after: BEGUN + PIECES / 2, until: never.opened }] }),
    say(answer, { holds: [{ after: BEGUN + PIECES, until: later.opened }] }),
  );
  const listener = listen(stage);
  const asked = await stage.ask("How was it?");
  await listener.until("it speaks", ({ text }) => text !== "");
  const killed = await stage.agents.kill(AGENT);
  expect(typed(await stage.log(), "relight.turn.saved")).toEqual([]);

  // What its successor hears takes the place of what was said before, also where it is longer.
  const before = listener.heard.length;
  await until("it speaks again", () => listener.heard.length > before);
  expect(answer.startsWith(listener.text())).toBe(true);
  later.open();
  const end = await stage.end(killed.cursor);
  expect(end.data).toMatchObject({ answer });
  expect(api.requests.map(({ body }) => body)).toEqual([api.requests[0]?.body, api.requests[0]?.body]);
  expect(typed(await stage.log(), "relight.run.completed")).toHaveLength(1);
  expect(typed(await stage.log(), "relight.turn.saved")).toHaveLength(1);
  expect(asked).toBeLessThan(killed.cursor);
  await promisesHold(stage.playground.folder.store);
});
