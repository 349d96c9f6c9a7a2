import type { Speech } from "../agents/ipc";

/** What a model has said of a turn so far; nothing of it is in the log. */
export interface Spoken {
  agent: string;
  run: string;
  turn: number;
  /** How often the turn was begun: what was said before the last time is void. */
  begun: number;
  text: string;
  waiting: Speech["waiting"];
}

/** More of a turn is not kept for those who come later to listen. */
const MAX_TEXT = 1024 * 1024;

/** What the agents' models say now, for whoever watches. */
export class Speeches {
  readonly #speeches = new Map<string, Spoken>();
  readonly #watchers = new Set<(agent: string) => void>();

  take(agent: string, { run, turn, from, text, waiting }: Speech): void {
    const before = this.#speeches.get(agent);
    const same = before?.run === run && before.turn === turn && from > 0;
    const whole = ((same ? before.text : "") + text).slice(0, MAX_TEXT);
    const begun = (before?.begun ?? 0) + (same ? 0 : 1);
    this.#speeches.set(agent, { agent, run, turn, begun, text: whole, waiting });
    for (const changed of this.#watchers) changed(agent);
  }

  agents(): string[] {
    return [...this.#speeches.keys()];
  }

  of(agent: string): Spoken | undefined {
    return this.#speeches.get(agent);
  }

  /** Calls `changed` whenever a model said more. @returns how to end it */
  watch(changed: (agent: string) => void): () => void {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  }
}
