/** What any implementation of `Store` promises to whoever writes, and (`store-reading.ts`) to whoever reads. */
import { describe, expect, test } from "vitest";
import type { LeaseStep, Store } from "../../lib/store";
import {
  AGENT,
  BASE,
  claimed,
  freshBench,
  LEASE,
  note,
  notes,
  type Place,
  type PlaceOptions,
  proven,
  released,
  textsOf,
} from "./store-bench";
import { readingContract } from "./store-reading";

/** Runs the contract against one implementation. */
export function storeContract(name: string, place: (options: PlaceOptions) => Place): void {
  readingContract(name, place);

  describe(`${name} as a store that is written`, () => {
    const bench = freshBench(place);
    const everything = async () => ({
      log: await bench.other.read({ limit: 1000 }),
      subjects: await bench.other.subjects(),
      lease: await bench.other.lease(LEASE),
    });
    /** The commit is refused, and another connection sees that nothing of it was written. */
    async function refused(code: string, ...[commit]: Parameters<Store["commit"]>) {
      const before = await everything();
      await expect(bench.store.commit(commit)).rejects.toMatchObject({ name: "RelightError", code });
      expect(await everything()).toEqual(before);
    }

    describe("a commit", () => {
      test("gives cursors that grow by one, from the last one given before the log began", async () => {
        const first = await bench.store.commit({ subject: AGENT, events: notes("a", "b") });
        const second = await bench.other.commit({ subject: "acme/other", events: [note("c", "acme/other")] });
        const cursors = [...first.events, ...second.events].map(({ sequence }) => sequence);
        expect(cursors).toEqual([BASE + 1, BASE + 2, BASE + 3]);
        expect([first.cursor, second.cursor]).toEqual([BASE + 2, BASE + 3]);
      });

      test("marks its events as written together, and apart from those of the next one", async () => {
        await bench.store.commit({ subject: AGENT, events: notes("a", "b") });
        await bench.store.commit({ subject: AGENT, events: notes("c") });
        const { events } = await bench.store.read({ limit: 10 });
        expect(events.map(({ commit }) => commit)).toEqual([BASE + 1, BASE + 1, BASE + 3]);
      });

      test("returns the very events that are read later, whole CloudEvents", async () => {
        const data = { text: "ünïcode 🦊 שלום", nested: [{ a: null }] };
        const { events, log } = await bench.store.commit({
          subject: AGENT,
          events: [{ type: "t", subject: AGENT, data }],
        });
        expect((await bench.other.read({ limit: 10 })).events).toEqual(events);
        expect(events[0]).toMatchObject({
          specversion: "1.0",
          type: "t",
          subject: AGENT,
          datacontenttype: "application/json",
          time: "2030-01-01T00:00:00.000Z",
          data,
        });
        expect(log).toBe(bench.store.log);
      });

      test("that throws in a lease step leaves nothing: no event, no lease, no position", async () => {
        await bench.store.commit({ subject: AGENT, leases: [claimed()], events: notes("a") });
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
        await expect(bench.store.commit(commit)).rejects.toThrow("no");
        expect(await everything()).toEqual(before);
        // And no cursor is lost: the next event follows the last one.
        expect((await bench.store.commit({ subject: AGENT, events: notes("c") })).cursor).toBe(BASE + 2);
      });

      test("is BEHIND if its subject moved, and writes nothing", async () => {
        const { cursor } = await bench.store.commit({ subject: AGENT, position: 0, events: notes("a") });
        await bench.other.commit({ subject: AGENT, position: cursor, events: notes("b") });
        await refused("BEHIND", {
          subject: AGENT,
          position: cursor,
          leases: [claimed()],
          events: notes("c"),
          unfinished: true,
        });
      });

      test("is not BEHIND for what was written about another subject", async () => {
        const { cursor } = await bench.store.commit({ subject: AGENT, events: notes("a") });
        await bench.other.commit({ subject: "acme/other", events: [note("x", "acme/other")] });
        const later = await bench.store.commit({ subject: AGENT, position: cursor, events: notes("b") });
        expect(later.cursor).toBe(cursor + 2);
      });

      test("without events moves no position", async () => {
        const { cursor } = await bench.store.commit({ subject: AGENT, events: notes("a") });
        const empty = await bench.store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        expect(empty).toMatchObject({ cursor, events: [], leases: [{ fence: 1 }] });
        expect(await bench.store.head()).toBe(cursor);
      });

      test("may make its events from the leases as they are after their steps", async () => {
        const { events } = await bench.store.commit({
          subject: AGENT,
          leases: [claimed()],
          events: (leases) => [note(`fence ${leases[0]?.fence}`)],
        });
        expect(textsOf(events)).toEqual(["fence 1"]);
      });

      test("keeps what it is not told: whether work is left", async () => {
        await bench.store.commit({ subject: AGENT, events: notes("a"), unfinished: true });
        await bench.store.commit({ subject: AGENT, events: notes("b") });
        const position = BASE + 2;
        expect(await bench.other.subjects()).toEqual([{ subject: AGENT, position, unfinished: true }]);
        await bench.store.commit({ subject: AGENT, events: [], unfinished: false });
        expect(await bench.other.subjects()).toEqual([{ subject: AGENT, position, unfinished: false }]);
      });
    });

    describe("a lease", () => {
      const write = (fence: number) => ({ subject: AGENT, leases: [proven(fence)], events: notes("mine") });

      test("is seen by every connection as it was written", async () => {
        const process = { pid: 7, birth: "then" };
        await bench.store.commit({ subject: AGENT, leases: [claimed({ process })], events: [] });
        const lease = await bench.other.lease(LEASE);
        expect(lease).toEqual({
          resource: LEASE,
          fence: 1,
          holder: "one",
          ttlMs: 1000,
          expiresAt: bench.clock + 1000,
          process,
          status: "open",
        });
        expect(await bench.other.openLeases()).toEqual([lease]);
      });

      test("that was taken over refuses the old fence with SUPERSEDED", async () => {
        await bench.store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        bench.clock += 1000;
        await bench.other.commit({ subject: AGENT, leases: [claimed({ holder: "two" })], events: [] });
        await refused("SUPERSEDED", write(1));
        expect((await bench.other.commit(write(2))).events).toHaveLength(1);
      });

      test("that lapsed refuses its fence with LAPSED, though nobody took over", async () => {
        await bench.store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        bench.clock += 999;
        await bench.store.commit(write(1));
        bench.clock += 1;
        await refused("LAPSED", write(1));
        // Nothing sweeps: it is still its last owner's.
        expect(await bench.store.openLeases()).toMatchObject([{ holder: "one", fence: 1 }]);
      });

      test("that was released refuses its fence with LAPSED", async () => {
        await bench.store.commit({ subject: AGENT, leases: [claimed()], events: [] });
        await bench.other.commit({ subject: AGENT, leases: [released(1)], events: [] });
        await refused("LAPSED", write(1));
        expect(await bench.store.openLeases()).toEqual([]);
      });

      test("claimed by two at once is won by one; the other is told who holds it", async () => {
        const results = await Promise.allSettled(
          [bench.store, bench.other].map((connection, index) =>
            connection.commit({
              subject: AGENT,
              leases: [claimed({ holder: `holder ${index}` })],
              events: notes(`holder ${index}`),
            }),
          ),
        );
        const lease = await bench.store.lease(LEASE);
        const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
        expect(refusals).toMatchObject([{ code: "HELD", details: { holder: lease?.holder } }]);
        expect(textsOf((await bench.store.read({ limit: 10 })).events)).toEqual([lease?.holder]);
      });
    });

    test("a retired log refuses every commit, through every connection, and can still be read", async () => {
      await bench.store.commit({ subject: AGENT, events: notes("a") });
      await bench.other.retire(true);
      await refused("RESET", { subject: AGENT, events: notes("b"), leases: [claimed()] });
      await expect(bench.other.commit({ subject: AGENT, events: [] })).rejects.toMatchObject({
        code: "RESET",
      });
    });

    test("a closed store is UNAVAILABLE to read, never empty", async () => {
      await bench.store.commit({ subject: AGENT, events: notes("a") });
      bench.store.close();
      const unavailable = { name: "RelightError", code: "UNAVAILABLE" };
      await expect(bench.store.read({ limit: 10 })).rejects.toMatchObject(unavailable);
      await expect(bench.store.head()).rejects.toMatchObject(unavailable);
      await expect(bench.store.lease(LEASE)).rejects.toMatchObject(unavailable);
      await expect(bench.store.subjects()).rejects.toMatchObject(unavailable);
      expect((await bench.other.read({ limit: 10 })).events).toHaveLength(1);
    });
  });
}
