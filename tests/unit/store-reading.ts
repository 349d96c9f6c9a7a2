import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "../../lib/store";
import { AGENT, BASE, freshBench, note, notes, type Place, type PlaceOptions, textsOf } from "./store-bench";

/** What any implementation of `Store` promises to whoever reads and watches. */
export function readingContract(name: string, place: (options: PlaceOptions) => Place): void {
  describe(`${name} as a store that is read`, () => {
    const bench = freshBench(place);
    describe("reading", () => {
      const mine = ["a", "b", "c", "d", "e"];
      beforeEach(async () => {
        for (const text of mine) {
          await bench.store.commit({ subject: AGENT, events: notes(text) });
          await bench.store.commit({ subject: "acme/other", events: [note(`not ${text}`, "acme/other")] });
        }
      });

      test("goes page by page, without gap or repeat, through another connection", async () => {
        const seen: number[] = [];
        for (let after = 0, more = true; more; ) {
          const page = await bench.other.read({ after, limit: 3 });
          expect(page.events.length).toBeLessThanOrEqual(3);
          seen.push(...page.events.map(({ sequence }) => sequence));
          ({ cursor: after, more } = page);
        }
        expect(seen).toEqual(Array.from({ length: 10 }, (_, index) => BASE + 1 + index));
      });

      test("says that there is no more when a page ends with the last event", async () => {
        expect(await bench.other.read({ limit: 10 })).toMatchObject({ more: false, cursor: BASE + 10 });
        expect(await bench.other.read({ limit: 9 })).toMatchObject({ more: true, cursor: BASE + 9 });
      });

      test("of one subject gives its events alone, in order", async () => {
        const first = await bench.other.read({ subject: AGENT, limit: 3 });
        expect(first).toMatchObject({ more: true, cursor: BASE + 5 });
        const rest = await bench.other.read({ subject: AGENT, limit: 3, after: first.cursor });
        expect(rest).toMatchObject({ more: false, cursor: BASE + 9 });
        expect(textsOf([...first.events, ...rest.events])).toEqual(mine);
      });

      test("beyond the head gives an empty page", async () => {
        const page = await bench.other.read({ after: BASE + 1000, limit: 10 });
        expect(page).toMatchObject({ events: [], more: false, log: bench.store.log });
      });
    });

    test("an empty log's head is the last cursor given before it, and so is its first page's cursor", async () => {
      expect(await bench.other.head()).toBe(BASE);
      expect(await bench.other.read({ limit: 10 })).toMatchObject({ events: [], cursor: BASE, more: false });
    });

    test("the head is the cursor of the last event, whoever wrote it", async () => {
      const { cursor } = await bench.store.commit({ subject: AGENT, events: notes("a", "b") });
      expect(await bench.other.head()).toBe(cursor);
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
        const seen = change(bench.other);
        await bench.store.commit({ subject: AGENT, events: notes("a") });
        await seen;
        expect(textsOf((await bench.other.read({ limit: 10 })).events)).toEqual(["a"]);
      });

      test("tells of one's own commit", async () => {
        const seen = change(bench.store);
        await bench.store.commit({ subject: AGENT, events: notes("a") });
        await seen;
      });

      test("goes on after it told once, until it is ended", async () => {
        let told = 0;
        const unwatch = bench.store.watch(() => told++);
        await bench.store.commit({ subject: AGENT, events: notes("a") });
        await bench.store.commit({ subject: AGENT, events: notes("b") });
        expect(told).toBeGreaterThanOrEqual(2);
        unwatch();
        const before = told;
        await bench.store.commit({ subject: AGENT, events: notes("c") });
        expect(told).toBe(before);
      });
    });
  });
}
