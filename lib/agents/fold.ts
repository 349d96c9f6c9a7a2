import type { Store } from "../store";
import type { AgentEvent } from "./events";
import { type AgentState, apply, initial } from "./state";

const PAGE = 1000;

/** The state of one agent, kept up with the log. */
export class Fold {
  #state: AgentState;
  readonly #store: Store;

  constructor(store: Store, agent: string) {
    this.#store = store;
    this.#state = initial(agent);
  }

  /** Reads what is new and folds it in. @throws UNAVAILABLE */
  async read(): Promise<AgentState> {
    for (let more = true; more; ) {
      const after = this.#state.position;
      const page = await this.#store.read<AgentEvent>({ subject: this.#state.id, after, limit: PAGE });
      // Another reader of this fold may have got there first.
      if (this.#state.position === after) this.#state = page.events.reduce(apply, this.#state);
      more = page.more;
    }
    return this.#state;
  }
}
