import type { Store } from "../store";
import type { Envelope } from "./event";

const PAGE = 500;

export interface FollowOptions {
  /** Exclusive. */
  after: number;
  subject?: string;
  signal: AbortSignal;
}

/** Reads the log from a cursor on and keeps reading, without gap or repeat, until the signal aborts. */
export async function* follow<E extends Envelope = Envelope>(
  store: Store,
  options: FollowOptions,
): AsyncGenerator<E, void, undefined> {
  for await (const events of followPages<E>(store, options)) yield* events;
}

/** As `follow`, but all that a read of the log brought at once; never an empty page. */
export async function* followPages<E extends Envelope = Envelope>(
  store: Store,
  { after: from, subject, signal }: FollowOptions,
): AsyncGenerator<E[], void, undefined> {
  let after = from;
  let wake = () => {};
  let changed = true;
  const stir = () => {
    changed = true;
    wake();
  };
  const unwatch = store.watch(stir);
  signal.addEventListener("abort", stir);
  try {
    while (!signal.aborted) {
      if (!changed) await new Promise<void>((resolve) => (wake = resolve));
      changed = false;
      for (let more = true; more && !signal.aborted; ) {
        const page = await store.read<E>({ after, limit: PAGE, subject });
        if (page.events.length > 0) yield page.events;
        after = page.cursor;
        more = page.more;
      }
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", stir);
  }
}
