import { Fold } from "../log/fold";
import { settle } from "../log/settle";
import type { Commit, Committed, Store } from "../store";
import type { AgentDraft, AgentEvent } from "./events";
import { isUnfinished } from "./next";
import { foresee } from "./plan";
import { type AgentState, apply, initial } from "./state";

/** What the server wants to write about an agent. */
export interface Intent {
  events: AgentDraft[];
  leases?: Commit["leases"];
  /** Where it was written before, if it was: then there is nothing to write. */
  cursor?: number;
}

/** Agents as the server knows them, and the one way in which it writes about them. */
export class Ledger {
  readonly #store: Store;
  readonly #folds = new Map<string, Fold<AgentState, AgentEvent>>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** An agent's state, up to date. An agent that was never heard of has the initial one. */
  async state(agent: string): Promise<AgentState> {
    const known = this.#folds.get(agent);
    if (known) return known.read();
    const fold = new Fold(this.#store, agent, initial(agent), apply);
    const state = await fold.read();
    if (state.position > 0) this.#folds.set(agent, this.#folds.get(agent) ?? fold);
    return state;
  }

  async isUnfinished(agent: string): Promise<boolean> {
    return isUnfinished(await this.state(agent));
  }

  /**
   * Decides from the newest state and writes it; if the agent's log moved meanwhile, decides again.
   * @param decide throws to refuse: then nothing is written
   */
  async append(agent: string, decide: (state: AgentState) => Intent): Promise<Pick<Committed, "cursor">> {
    return settle(
      this.#store,
      agent,
      () => this.state(agent),
      (state) => {
        const { events, leases, cursor } = decide(state);
        if (cursor !== undefined) return { cursor };
        return { events, leases, unfinished: isUnfinished(events.reduce(foresee, state)) };
      },
    );
  }
}
