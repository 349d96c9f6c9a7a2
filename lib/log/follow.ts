import type { Store } from "../store";
import type { Envelope } from "./event";

const PAGE = 500;

/** Reads the log from a cursor on and keeps reading, without gap or repeat, until the signal aborts. */
export async function* follow<E extends Envelope = Envelope>(
  store: Store,
  options: { after: number; subject?: string; signal: AbortSignal },
): AsyncGenerator<E, void, undefined> {
  const { subject, signal } = options;
  let { after } = options;
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
        yield* page.events;
        after = page.cursor;
        more = page.more;
      }
    }
  } finally {
    unwatch();
    signal.removeEventListener("abort", stir);
  }
}
