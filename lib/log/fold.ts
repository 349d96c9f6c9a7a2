import type { Store } from "../store";
import type { Envelope } from "./event";

const PAGE = 1000;

/** The state of one subject, kept up with the log. */
export class Fold<State extends { position: number }, E extends Envelope> {
  readonly #store: Store;
  readonly #subject: string;
  readonly #apply: (state: State, event: E) => State;
  #state: State;

  constructor(store: Store, subject: string, initial: State, apply: (state: State, event: E) => State) {
    this.#store = store;
    this.#subject = subject;
    this.#apply = apply;
    this.#state = initial;
  }

  /** Reads what is new and folds it in. @throws UNAVAILABLE */
  async read(): Promise<State> {
    for (let more = true; more; ) {
      const after = this.#state.position;
      const page = await this.#store.read<E>({ subject: this.#subject, after, limit: PAGE });
      // Another reader of this fold may have got there first.
      if (this.#state.position === after) this.#state = page.events.reduce(this.#apply, this.#state);
      more = page.more;
    }
    return this.#state;
  }
}
