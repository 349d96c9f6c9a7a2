import { isRelightError } from "../errors";
import type { Commit, Committed, Store } from "../store";
import type { Envelope } from "./event";

/** What was decided; or the cursor of where it was written before. */
export type Decided = Omit<Commit, "subject" | "position"> | { cursor: number };

/**
 * Decides from the newest state of a subject and writes it; if its log moved meanwhile, decides again.
 * @param decide throws to refuse: then nothing is written
 */
export async function settle<State extends { position: number }, E extends Envelope = Envelope>(
  store: Store,
  subject: string,
  read: () => Promise<State>,
  decide: (state: State) => Decided,
): Promise<Pick<Committed<E>, "cursor" | "events">> {
  for (;;) {
    const state = await read();
    const decided = decide(state);
    if ("cursor" in decided) return { cursor: decided.cursor, events: [] };
    try {
      return await store.commit<E>({ ...decided, subject, position: state.position });
    } catch (error) {
      if (!isRelightError(error, "BEHIND")) throw error;
    }
  }
}
