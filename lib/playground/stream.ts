/** The live stream of a playground: its log from a cursor on, and the world beside it. */
import { may, PLAYGROUND, type Scope } from "../agents/scope";
import type { Envelope } from "../log/event";
import { followPages } from "../log/follow";
import type { WorldView } from "../world";
import type { Folder } from "./directory";
import { type Playground, sees } from "./playground";

const WORLD_MS = 50;

export type StreamMessage =
  /** The log that what follows is from, its head, and the last cursor before it. Comes first, and again after a reset. */
  | { is: "log"; log: string; base: number; cursor: number }
  | { is: "event"; event: Envelope }
  /** No event of the log: it has no cursor. */
  | { is: "world"; world: WorldView };

type Send = (messages: StreamMessage[]) => Promise<void>;

export interface StreamOptions {
  after: number;
  /** Only this agent's events. */
  agent?: string;
  scope: Scope;
  signal: AbortSignal;
}

/**
 * Sends until the signal aborts or the playground closes; goes on with the new log after a reset.
 * @param send takes what came at once; resolves when the reader is ready for more
 */
export async function stream(
  playground: Playground,
  { after, agent, scope, signal }: StreamOptions,
  send: Send,
): Promise<void> {
  while (!signal.aborted && !playground.closed.aborted) {
    const { folder, swapped } = playground;
    const { store } = folder;
    const here = AbortSignal.any([signal, swapped]);
    await send([{ is: "log", log: store.log, base: store.base, cursor: await store.head() }]);
    if (!agent && may(scope, "read", PLAYGROUND)) watchWorld(folder, here, send);
    for await (const events of followPages(store, { after, subject: agent, signal: here })) {
      const seen = agent ? events : events.filter(({ subject }) => sees(scope, subject));
      if (seen.length > 0) await send(seen.map((event) => ({ is: "event", event })));
      after = events.at(-1)?.sequence ?? after;
    }
  }
}

/** The world as it is, and then whenever somebody changed it. */
function watchWorld({ world }: Folder, signal: AbortSignal, send: Send): void {
  let seen: unknown;
  let sending = false;
  const look = async () => {
    const version = world.version();
    // A reader that is slow gets the world as it is then, not each state of it.
    if (version === seen || sending) return;
    sending = true;
    try {
      await send([{ is: "world", world: await world.view() }]);
      seen = version;
    } finally {
      sending = false;
    }
  };
  // A look that fails is one that the next makes up for.
  const looking = setInterval(() => void look().catch(() => {}), WORLD_MS);
  signal.addEventListener("abort", () => clearInterval(looking));
  void look().catch(() => {});
}
