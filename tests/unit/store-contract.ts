/** What any implementation of `Store` promises. Each test gets a fresh log, which several connections may open. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type ClaimRequest, claim, prove, release } from "../../lib/leases";
import type { Draft } from "../../lib/log/event";
import type { LeaseStep, Store } from "../../lib/store";

/** A place for one log. */
export interface Place {
  /** Opens it: the first call makes the log, each further one is another connection to it. */
  open(): Store;
  /** Closes every connection that is open, and removes it. */
  remove(): void;
}

export interface PlaceOptions {
  /** The last cursor given before the log begins. */
  after: number;
  /** Epoch milliseconds: the clock of every connection. */
  now: () => number;
}

const BASE = 40;
const AGENT = "acme/@maria/shop";
const LEASE = `agent:${AGENT}`;

const note = (text: string, subject = AGENT): Draft => ({ type: "relight.note", subject, data: { text } });
const notes = (...texts: string[]) => texts.map((text) => note(text));
const claimed = (request: Partial<ClaimRequest> = {}): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) =>
    claim(lease, { resource: LEASE, holder: "one", ttlMs: 1000, ...request }, now).lease,
});
const proven = (fence: number): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) => prove(lease, LEASE, fence, now),
});
const released = (fence: number): LeaseStep => ({
  resource: LEASE,
  decide: (lease, now) => release(lease, LEASE, fence, now),
});

export function storeContract(name: string, place: (options: PlaceOptions) => Place): void {
  describe(`${name} as a store`, () => {
    let clock: number;
    let here: Place;
    let store: Store;
    let other: Store;

    beforeEach(() => {
      clock = Date.UTC(2030, 0, 1);
      here = place({ after: BASE, now: () => clock });
      store = here.open();
      other = here.open();
    });
    afterEach(() => here.remove());

    const textsOf = (events: { data: unknown }[]) =>
      events.map(({ data }) => (data as { text: string }).text);
    const everything = async () => ({
      log: await other.read({ limit: 1000 }),
      subjects: await other.subjects(),
      lease: await other.lease(LEASE),
    });
    /** The commit is refused, and another connection sees that nothing of it was written. */
    async function refused(code: string, ...[commit]: Parameters<Store["commit"]>) {
      const before = await everything();
      await expect(store.commit(commit)).rejects.toMatchObject({ name: "RelightError", code });
      expect(await everything()).toEqual(before);
    }

    describe("a commit", () => {
      test("gives cursors that grow by one, from the last one given before the log began", async () => {
        const first = await store.commit({ subject: AGENT, events: notes("a", "b") });
        const second = await other.commit({ subject: "acme/other", events: [note("c", "acme/other")] });
        const cursors = [...first.events, ...second.events].map(({ sequence }) => sequence);
        expect(cursors).toEqual([BASE + 1, BASE + 2, BASE + 3]);
        expect([first.cursor, second.cursor]).toEqual([BASE + 2, BASE + 3]);
      });

      test("marks its events as written together, and apart from those of the next one", async () => {
        await store.commit({ subject: AGENT, events: notes("a", "b") });
        await store.commit({ subject: AGENT, events: notes("c") });
        const { events } = await store.read({ limit: 10 });
        expect(events.map(({ commit }) => commit)).toEqual([BASE + 1, BASE + 1, BASE + 3]);
      });

      test("returns the very events that are read later, whole CloudEvents", async () => {
        const data = { text: "ünïcode 🦊 שלום", nested: [{ a: null }] };
        const { events, log } = await store.commit({
          subject: AGENT,
          events: [{ type: "t", subject: AGENT, data }],
        });
        expect((await other.read({ limit: 10 })).events).toEqual(events);
        expect(events[0]).toMatchObject({
          specversion: "1.0",
          type: "t",
          subject: AGENT,
          datacontenttype: "application/json",
          time: "2030-01-01T00:00:00.000Z",
          data,
        });
        expect(log).toBe(store.log);
      });

      test("that throws in a lease step leaves nothing: no event, no lease, no position", async () => {
        await store.commit({ subject: AGENT, leases: [claimed()], events: notes("a") });
        const broken: LeaseStep = {
          resource: "another",
          decide: () => {
            throw new Error("no");
          },
        };
        const before = await everything();
        const commit = {
          subject: AGENT,
          leases: [released(1), broken],
          events: notes("b"),
          unfinished: true,
        };
        await expect(store.commit(commit)).rejects.toThrow("no");
        expect(await everything()).toEqual(before);
        // And no cursor is lost: the next event follows the last one.
        expect((await store.commit({ subject: AGENT, events: notes("c") })).cursor).toBe(BASE + 2);
      });

      test("is BEHIND if its subject moved, and writes nothing", async () => {
        const { cursor } = await store.commit({ subject: AGENT, position: 0, events: notes("a") });
        await other.commit({ subject: AGENT, position: cursor, events: notes("b") });
        await refused("BEHIND", {
          subject: AGENT,
          position: cursor,
          leases: [claimed()],
          events: notes("c"),
          unfinished: true,
        });
      });

      test("is not BEHIND for what was written about another subject", async () => {
        const { cursor } = await store.commit({ subject: AGENT, events: notes("a") });
        await other.commit({ subject: "acme/other", events: [note("x", "acme/other")] });
        const later = await store.commit({ subject: AGENT, position: cursor, events: notes("b") });
        expect(later.cursor).toBe(cursor + 2);
      });

      test("without events moves no position", async () => {
        const { cursor } = await store.commit({ subject: AGENT, events: notes("a") });
        const empty = await store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        expect(empty).toMatchObject({ cursor, events: [], leases: [{ fence: 1 }] });
        expect(await store.head()).toBe(cursor);
      });

      test("may make its events from the leases as they are after their steps", async () => {
        const { events } = await store.commit({
          subject: AGENT,
          leases: [claimed()],
          events: (leases) => [note(`fence ${leases[0]?.fence}`)],
        });
        expect(textsOf(events)).toEqual(["fence 1"]);
      });

      test("keeps what it is not told: whether work is left", async () => {
        await store.commit({ subject: AGENT, events: notes("a"), unfinished: true });
        await store.commit({ subject: AGENT, events: notes("b") });
        const position = BASE + 2;
        expect(await other.subjects()).toEqual([{ subject: AGENT, position, unfinished: true }]);
        await store.commit({ subject: AGENT, events: [], unfinished: false });
        expect(await other.subjects()).toEqual([{ subject: AGENT, position, unfinished: false }]);
      });
    });

    describe("a lease", () => {
      const write = (fence: number) => ({ subject: AGENT, leases: [proven(fence)], events: notes("mine") });

      test("is seen by every connection as it was written", async () => {
        const process = { pid: 7, birth: "then" };
        await store.commit({ subject: AGENT, leases: [claimed({ process })], events: [] });
        const lease = await other.lease(LEASE);
        expect(lease).toEqual({
          resource: LEASE,
          fence: 1,
          holder: "one",
          ttlMs: 1000,
          expiresAt: clock + 1000,
          process,
          status: "open",
        });
        expect(await other.openLeases()).toEqual([lease]);
      });

      test("that was taken over refuses the old fence with SUPERSEDED", async () => {
        await store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        clock += 1000;
        await other.commit({ subject: AGENT, leases: [claimed({ holder: "two" })], events: [] });
        await refused("SUPERSEDED", write(1));
        expect((await other.commit(write(2))).events).toHaveLength(1);
      });

      test("that lapsed refuses its fence with LAPSED, though nobody took over", async () => {
        await store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        clock += 999;
        await store.commit(write(1));
        clock += 1;
        await refused("LAPSED", write(1));
        // Nothing sweeps: it is still its last owner's.
        expect(await store.openLeases()).toMatchObject([{ holder: "one", fence: 1 }]);
      });

      test("that was released refuses its fence with LAPSED", async () => {
        await store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        await other.commit({ subject: AGENT, leases: [released(1)], events: [] });
        await refused("LAPSED", write(1));
        expect(await store.openLeases()).toEqual([]);
      });

      test("claimed by two at once is won by one; the other is told who holds it", async () => {
        const results = await Promise.allSettled(
          [store, other].map((connection, index) =>
            connection.commit({
              subject: AGENT,
              leases: [claimed({ holder: `holder ${index}` })],
              events: notes(`holder ${index}`),
            }),
          ),
        );
        const lease = await store.lease(LEASE);
        const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
        expect(refusals).toMatchObject([{ code: "HELD", details: { holder: lease?.holder } }]);
        expect(textsOf((await store.read({ limit: 10 })).events)).toEqual([lease?.holder]);
      });
    });

    describe("reading", () => {
      const mine = ["a", "b", "c", "d", "e"];
      beforeEach(async () => {
        for (const text of mine) {
          await store.commit({ subject: AGENT, events: notes(text) });
          await store.commit({ subject: "acme/other", events: [note(`not ${text}`, "acme/other")] });
        }
      });

      test("goes page by page, without gap or repeat, through another connection", async () => {
        const seen: number[] = [];
        for (let after = 0, more = true; more; ) {
          const page = await other.read({ after, limit: 3 });
          expect(page.events.length).toBeLessThanOrEqual(3);
          seen.push(...page.events.map(({ sequence }) => sequence));
          ({ cursor: after, more } = page);
        }
        expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => BASE + 1 + index));
      });

      test("says that there is no more when a page ends with the last event", async () => {
        expect(await other.read({ limit: 10 })).toMatchObject({ more: false, cursor: BASE + 10 });
        expect(await other.read({ limit: 9 })).toMatchObject({ more: true, cursor: BASE + 9 });
      });

      test("of one subject gives its events alone, in order", async () => {
        const first = await other.read({ subject: AGENT, limit: 3 });
        expect(first).toMatchObject({ more: true, cursor: BASE + 5 });
        const rest = await other.read({ subject: AGENT, limit: 3, after: first.cursor });
        expect(rest).toMatchObject({ more: false, cursor: BASE + 9 });
        expect(textsOf([...first.events, ...rest.events])).toEqual(mine);
      });

      test("beyond the head gives an empty page", async () => {
        const page = await other.read({ after: BASE + 1000, limit: 10 });
        expect(page).toMatchObject({ events: [], more: false, log: store.log });
      });
    });

    test("an empty log's head is the last cursor given before it, and so is its first page's cursor", async () => {
      expect(await other.head()).toBe(BASE);
      expect(await other.read({ limit: 10 })).toMatchObject({ events: [], cursor: BASE, more: false });
    });

    test("the head is the cursor of the last event, whoever wrote it", async () => {
      const { cursor } = await store.commit({ subject: AGENT, events: notes("a", "b") });
      expect(await other.head()).toBe(cursor);
    });

    describe("watching", () => {
      const change = (watched: Store) =>
        new Promise<void>((resolve) => {
          const unwatch = watched.watch(() => {
            unwatch();
            resolve();
          });
        });

      test("tells of another connection's commit", async () => {
        const seen = change(other);
        await store.commit({ subject: AGENT, events: notes("a") });
        await seen;
        expect(textsOf((await other.read({ limit: 10 })).events)).toEqual(["a"]);
      });

      test("tells of one's own commit", async () => {
        const seen = change(store);
        await store.commit({ subject: AGENT, events: notes("a") });
        await seen;
      });

      test("goes on after it told once, until it is ended", async () => {
        let told = 0;
        const unwatch = store.watch(() => told++);
        await store.commit({ subject: AGENT, events: notes("a") });
        await store.commit({ subject: AGENT, events: notes("b") });
        expect(told).toBeGreaterThanOrEqual(2);
        unwatch();
        const before = told;
        await store.commit({ subject: AGENT, events: notes("c") });
        expect(told).toBe(before);
      });
    });

    test("a retired log refuses every commit, through every connection, and can still be read", async () => {
      await store.commit({ subject: AGENT, events: notes("a") });
      await other.retire();
      await refused("RESET", { subject: AGENT, events: notes("b"), leases: [claimed()] });
      await expect(other.commit({ subject: AGENT, events: [] })).rejects.toMatchObject({ code: "RESET" });
    });

    test("a closed store is UNAVAILABLE to read, never empty", async () => {
      await store.commit({ subject: AGENT, events: notes("a") });
      store.close();
      const unavailable = { name: "RelightError", code: "UNAVAILABLE" };
      await expect(store.read({ limit: 10 })).rejects.toMatchObject(unavailable);
      await expect(store.head()).rejects.toMatchObject(unavailable);
      await expect(store.lease(LEASE)).rejects.toMatchObject(unavailable);
      await expect(store.subjects()).rejects.toMatchObject(unavailable);
      expect((await other.read({ limit: 10 })).events).toHaveLength(1);
    });
  });
}
