/** The page in a real Chromium. Each figure ends when what was waited for has been painted. */
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright";
import { findBrowser } from "../browser.mjs";
import { Server } from "../server";
import { type Place, writeLongLog } from "./long-log";
import { measured, type Timings } from "./timings";

const EVENTS = 20_000;
const ROUNDS = 20;
const ARGS = [
  "--no-sandbox",
  "--disable-quic",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
];

declare global {
  var bench: ReturnType<typeof inPage>;
}

/** @param dir an empty directory */
export async function measurePage(dir: string): Promise<Timings[]> {
  const browser = await chromium.launch({ executablePath: findBrowser(), args: ARGS });
  try {
    const places = await writeLongLog(join(dir, "long"), EVENTS);
    return [
      ...(await onServer(join(dir, "long"), (server) => measureLongLog(browser, server, places))),
      ...(await onServer(join(dir, "short"), async (server) => [await commitToScreen(browser, server)])),
    ];
  } finally {
    await browser.close();
  }
}

async function measureLongLog(browser: Browser, server: Server, places: Place[]): Promise<Timings[]> {
  const count = EVENTS.toLocaleString("en");
  const { cursor } = await server.client.events.head();
  const usable = await measured(`page with ${count} events usable`, 5, async () => {
    const page = await open(browser, server);
    const ms = await page.evaluate((newest) => bench.usable(newest), cursor);
    await page.context().close();
    return ms;
  });

  const page = await open(browser, server);
  await page.evaluate((newest) => bench.usable(newest), cursor);
  const idle = await measured("bare frame of that page", ROUNDS, () => page.evaluate(() => bench.idle()));
  const scrub = (round: number) => {
    const place = places[Math.floor(anywhere(round) * places.length)] as Place;
    return page.evaluate((place) => bench.scrub(place), place);
  };
  // The first pass folds the log from its beginning, and keeps what the others start from.
  await measured("", ROUNDS, scrub);
  const scrubbed = await measured(`scrub to any point of ${count} events`, ROUNDS, (round) =>
    scrub(ROUNDS + round),
  );
  await page.getByRole("button", { name: "Back to now" }).click();
  const scrolled = await measured(`scroll to any row of ${count} events`, ROUNDS, (round) =>
    page.evaluate((part) => bench.scroll(part), anywhere(round)),
  );
  await page.context().close();
  return [idle, usable, scrubbed, scrolled];
}

/** From the answer to an ask to its event's number on the screen. */
async function commitToScreen(browser: Browser, server: Server): Promise<Timings> {
  const agent = await server.define();
  const { cursor } = await server.client.events.head();
  const page = await open(browser, server);
  await page.evaluate((newest) => bench.usable(newest), cursor);
  const timings = await measured("commit to screen", ROUNDS, async () => {
    const { cursor } = await agent.ask("How many SKU-7 do we have?");
    const answered = performance.timeOrigin + performance.now();
    const shown = await page.evaluate((cursor) => bench.shown(cursor), cursor);
    await agent.runEnd({ after: cursor });
    return shown - answered;
  });
  await page.context().close();
  return timings;
}

/** In a context of its own: nothing is cached. Resolves while the page still loads. */
async function open(browser: Browser, server: Server): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 } });
  await context.addInitScript(`globalThis.bench = (${inPage})()`);
  const page = await context.newPage();
  await page.goto(`${server.url}/notebooks/pull-the-plug`, { waitUntil: "commit" });
  return page;
}

async function onServer<T>(data: string, work: (server: Server) => Promise<T>): Promise<T> {
  const server = await Server.start(data, { toolMs: 20 });
  // It has a process group of its own, so that a Ctrl-C does not reach it; and its directory is removed at the exit.
  const kill = () => server.process.kill("SIGKILL");
  process.prependOnceListener("exit", kill);
  try {
    if (!server.url) throw new Error(`The server did not start:\n${server.lines.join("\n")}`);
    return await work(server);
  } finally {
    server.process.kill("SIGTERM");
    await server.exited;
    process.off("exit", kill);
  }
}

/** Parts of a whole, far from each other and the same in every run: multiples of the golden ratio. */
const anywhere = (round: number): number => ((round + 1) * 0.6180339887) % 1;

/** What runs in the page, which gets its text: so it knows nothing of this module. */
function inPage() {
  /** The page's clock once something is so, and a frame that shows it has been painted. */
  function painted(isSo: () => boolean): Promise<number> {
    return new Promise((resolve) => {
      const look = () => {
        if (isSo()) requestAnimationFrame(() => resolve(performance.now()));
        else requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
  }

  function find<T extends Element>(selector: string): T {
    const found = document.querySelector<T>(selector);
    if (!found) throw new Error(`The page has no ${selector}`);
    return found;
  }

  async function after(change: () => void, isSo: () => boolean): Promise<number> {
    const began = performance.now();
    change();
    return (await painted(isSo)) - began;
  }

  const shows = (cursor: number): boolean => {
    const status = document.querySelector("header [role=status]")?.textContent ?? "";
    return Number(/live · event (\d+)/.exec(status)?.[1]) >= cursor;
  };

  return {
    idle: () =>
      after(
        () => {},
        () => true,
      ),

    /** Since the navigation began. */
    usable: (newest: number) =>
      painted(() => {
        const ask = [...document.querySelectorAll("label")].find(({ textContent }) => textContent === "Ask");
        const row = document.querySelector(`[aria-label="Event log"] [data-event="${newest}"]`);
        return shows(newest) && row !== null && ask?.control?.matches(":enabled") === true;
      }),

    /** On the clock that other processes have too. */
    shown: async (cursor: number) => performance.timeOrigin + (await painted(() => shows(cursor))),

    scrub({ at, says }: { at: number; says: string }) {
      const slider = find<HTMLInputElement>("aside input[type=range]");
      // React replaced the element's own setter, to tell its changes from a reader's.
      const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value") ?? {};
      const move = () => {
        set?.call(slider, String(at));
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      };
      return after(move, () => {
        const label = slider.labels?.[0]?.textContent ?? "";
        const room = slider.closest("aside");
        const drawn = room?.querySelector(`[data-event="${at}"]`) && room.textContent?.includes(says);
        return label.startsWith(`As of event ${at} of`) && drawn === true;
      });
    },

    /** The rows are there when one stands in the middle of what is in sight. */
    scroll(part: number) {
      const region = find('[aria-label="Event log"]');
      const jump = () => {
        region.scrollTop = part * (region.scrollHeight - region.clientHeight);
      };
      return after(jump, () => {
        const { top, bottom } = region.getBoundingClientRect();
        const middle = (top + bottom) / 2;
        return [...region.querySelectorAll("tr:has([data-event])")].some((row) => {
          const box = row.getBoundingClientRect();
          return box.top <= middle && middle <= box.bottom;
        });
      });
    },
  };
}
