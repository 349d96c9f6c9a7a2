/** One stream for a page, its worker and other tabs: each borrower sees what it asked for, once, in order. */
import { expect, test } from "vitest";
import type { StreamMessage } from "../../lib/client";
import { borrower, Lender } from "../../lib/client/lent";
import { type Live, nothing } from "../../lib/client/live";
import type { Envelope } from "../../lib/log/event";

const event = (sequence: number, subject: string) => ({ sequence, subject, type: "relight.x" }) as Envelope;

const live = (log: string, ...events: Envelope[]): Live => {
  const cursor = events.at(-1)?.sequence ?? 0;
  return { ...nothing, log, head: cursor, cursor, events };
};

/** A lender and a borrower that talk to each other. */
function lent(first: Live) {
  const { source, take } = borrower((said) => lender.hear(said));
  const lender = new Lender(first, take);
  return { source, lender };
}

async function read(messages: AsyncGenerator<StreamMessage>, count: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const message of messages) {
    seen.push(message.is === "event" ? `${message.event.subject} ${message.event.sequence}` : message.is);
    if (seen.length === count) break;
  }
  return seen;
}

test("a borrower gets what came before, then what comes, once", async () => {
  const { source, lender } = lent(live("one", event(1, "a"), event(2, "b")));
  const reading = read(source({ after: 1 }), 3);
  lender.update(live("one", event(1, "a"), event(2, "b"), event(3, "a")));
  expect(await reading).toEqual(["log", "b 2", "a 3"]);
});

test("a borrower of one agent gets its events only", async () => {
  const { source, lender } = lent(live("one", event(1, "a"), event(2, "b")));
  const reading = read(source({ agent: "b" }), 3);
  lender.update(live("one", event(1, "a"), event(2, "b"), event(3, "a"), event(4, "b")));
  expect(await reading).toEqual(["log", "b 2", "b 4"]);
});

test("a reset is told, and the new log is given whole", async () => {
  const { source, lender } = lent(live("one", event(1, "a")));
  const reading = read(source({ after: 0 }), 4);
  lender.update(live("two", event(2, "a")));
  expect(await reading).toEqual(["log", "a 1", "log", "a 2"]);
});

test("nothing is given before the page knows its log", async () => {
  const { source, lender } = lent(nothing);
  const reading = read(source({}), 2);
  lender.update(live("one", event(1, "a")));
  expect(await reading).toEqual(["log", "a 1"]);
});

test("one that was ended is given nothing more", async () => {
  const ended = new AbortController();
  const { source, lender } = lent(live("one", event(1, "a")));
  const messages = source({ signal: ended.signal });
  await messages.next();
  ended.abort();
  await messages.next();
  expect((await messages.next()).done).toBe(true);
  lender.update(live("one", event(1, "a"), event(2, "a")));
});
