/** What goes wrong between an agent and Claude: what may pass is tried again, what may not fails the run at once. */
import { expect, test } from "vitest";
import type { Spoken } from "../../lib/playground/speeches";
import { call, fail, overloadedAfter, type Reply, say, text, use } from "../fixtures/messages-replies";
import { claude, typed } from "./claude-stage";
import { promisesHold } from "./promises";
import { AGENT, STOCK } from "./stage";

const TRIES = 6;
const lookup = () => call(text("Let me look. Größe 🦊"), use("check_stock", { sku: "SKU-7" }));
const cut = (after: number): Reply => ({ ...lookup(), breaks: { after, how: "cut" } });

test("what passes is tried again, and those who listen are told why and until when", async () => {
  const { stage, api } = await claude();
  const cases: [Reply, RegExp][] = [
    [fail(429), /^rate limited, trying again in /],
    [fail(529), /^overloaded, trying again in /],
    [fail(500), /^the API answered 500, trying again in /],
    [fail(503), /^the API answered 503, trying again in /],
    // What a balancer says of its own accord.
    [fail(429, { "retry-after": "0" }), /^rate limited, trying again in 0 s/],
    [fail(529, { "retry-after": "Sat, 01 Jan 2000 00:00:00 GMT" }), /^overloaded, trying again in 0 s/],
    [overloadedAfter(5, lookup()), /^overloaded, trying again in /],
    // One that is cut can ask for no wait: it is half a second, about.
    [cut(0), /^the connection broke, trying again in /],
    [cut(1), /^the connection broke, trying again in /],
    [cut(-4), /^the connection broke, trying again in /],
    [{ ...lookup(), breaks: { after: -1, how: "end" } }, /^the connection broke, trying again in /],
  ];
  let waits: Spoken["waiting"][] = [];
  const { speeches } = stage.playground;
  speeches.watch((agent) => {
    const waiting = speeches.of(agent)?.waiting;
    if (waiting) waits.push(waiting);
  });
  for (const [trouble, why] of cases) {
    waits = [];
    api.reply(trouble, lookup());
    expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
    expect(waits).toEqual([{ why: expect.stringMatching(why), until: expect.any(Number) }]);
  }

  // Byte by byte it is the same message.
  const before = api.requests.length;
  api.reply({ ...lookup(), slowly: true }, say("Größe 🦊: drei\n", { slowly: true }));
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "Größe 🦊: drei\n" });
  expect(api.requests).toHaveLength(before + 2);

  // Nothing of what was broken off was saved, or run.
  const turns = typed(await stage.log(), "relight.turn.saved");
  expect(turns.map(({ data }) => data.turn)).toEqual([...cases, "slow"].flatMap(() => [1, 2]));
  const said = turns.flatMap(({ data }) => (data.turn === 1 ? [data.parts[0]] : []));
  for (const part of said) expect(part).toEqual({ type: "text", content: "Let me look. Größe 🦊" });
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: cases.length + 1 });
  await promisesHold(stage.playground.folder.store);
});

test("in trouble at every try the run fails; retried, it goes on from its last saved turn", async () => {
  const { stage, api } = await claude();
  for (const [status, code] of [
    [529, "OVERLOADED"],
    [500, "MODEL_UNAVAILABLE"],
  ] as const) {
    api.requests.length = 0;
    api.reply(lookup(), ...Array.from({ length: TRIES }, () => fail(status)));
    const failed = await stage.end(await stage.ask(STOCK));
    expect(failed.data).toMatchObject({
      error: { code, message: expect.stringMatching(/tried 6 times: No\.$/) },
    });
    expect(api.requests).toHaveLength(1 + TRIES);
    expect(await stage.agents.get(AGENT)).toMatchObject({ status: "failed", run: { status: "failed" } });

    const retried = await stage.agents.retry(AGENT);
    expect(retried.status).toBe("running");
    expect((await stage.end(retried.cursor)).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
    expect(api.requests).toHaveLength(2 + TRIES);
    expect(api.requests.at(-1)?.body).toEqual(api.requests[1]?.body);
  }
  expect((await stage.playground.world()).toolRuns).toEqual({ check_stock: 2 });
  const retries = typed(await stage.log(), "relight.run.retried");
  expect(retries.map(({ data }) => data.by)).toEqual(["owner", "owner"]);
  await promisesHold(stage.playground.folder.store);
});

test("what is no use to try again fails at once, in the API's own words", async () => {
  const { stage, api } = await claude();
  const later = new Date(Date.now() + 3_600_000).toUTCString();
  const cases: [Reply, code: string, says: RegExp][] = [
    [
      fail(400, {}, "tools.0: bad"),
      "MODEL_REJECTED",
      /^The model's API refused the request \(400\): tools\.0: bad$/,
    ],
    [fail(404, {}, "model: claude-nope"), "MODEL_REJECTED", /\(404\): model: claude-nope$/],
    [fail(413, {}, "Request too large"), "MODEL_REJECTED", /\(413\): Request too large$/],
    [fail(400, {}, "prompt is too long: 250000 tokens > 200000 maximum"), "CONTEXT_WINDOW", /too long/],
    [fail(429, { "retry-after": "3600" }), "OVERLOADED", /tried once: No\..* 3600 s/],
    [fail(429, { "retry-after": later }), "OVERLOADED", /tried once: No\..* 3\d\d\d s/],
    [fail(529, { "retry-after-ms": "9000000" }), "OVERLOADED", /tried once: No\..* 9000 s/],
    [
      {
        ...lookup(),
        error: { status: 0, type: "invalid_request_error", message: "No." },
        breaks: { after: 4, how: "error" },
      },
      "MODEL_REJECTED",
      /\(400\): No\.$/,
    ],
  ];
  for (const [trouble, code, says] of cases) {
    const before = api.requests.length;
    api.reply(trouble);
    const { data } = await stage.end(await stage.ask(STOCK));
    expect(data).toMatchObject({ error: { code, message: expect.stringMatching(says) } });
    expect(api.requests).toHaveLength(before + 1);
  }
  // None of these runs holds up the next ask, and the conversation with all of them in it is one that the API takes.
  expect((await stage.end(await stage.ask(STOCK))).data).toMatchObject({ answer: "SKU-7: 3 in stock." });
  await promisesHold(stage.playground.folder.store);
});
