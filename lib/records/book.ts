import { RelightError } from "../errors";
import { Fold } from "../log/fold";
import { type Decided, settle } from "../log/settle";
import type { Committed, Store } from "../store";
import type { Classes, RecordClass } from "./classes";
import { type RecordEvent, subjectOf } from "./events";
import { apply, initial, type RecordState } from "./state";

/** Records as a server knows them, and the one way in which it writes about them. */
export class Book {
  readonly store: Store;
  readonly #classes: Classes;
  readonly #folds = new Map<string, Fold<RecordState, RecordEvent>>();
  /** The end of the last change of each record that is under way. */
  readonly #turns = new Map<string, Promise<unknown>>();

  constructor(store: Store, classes: Classes) {
    this.store = store;
    this.#classes = classes;
  }

  /** @throws NOT_FOUND; UNAVAILABLE if there are records of it, but its class file is gone */
  async class(name: string): Promise<RecordClass> {
    const found = this.#classes.get(name);
    if (found) return found;
    if ((await this.idsOf(name)).length > 0) {
      throw new RelightError(
        "UNAVAILABLE",
        `There are records of class ${name}, but its class file is gone: put it back, and start the server again.`,
      );
    }
    throw new RelightError(
      "NOT_FOUND",
      `There is no class ${name}; there are: ${[...this.#classes.keys()].join(", ")}.`,
    );
  }

  /** The ids of a class's records. */
  async idsOf(className: string): Promise<string[]> {
    const prefix = subjectOf(className, "");
    const subjects = await this.store.subjects();
    return subjects
      .filter(({ subject }) => subject.startsWith(prefix))
      .map(({ subject }) => subject.slice(prefix.length));
  }

  /** A record's state, up to date. One that is not there has the initial one. */
  async state(subject: string): Promise<RecordState> {
    const known = this.#folds.get(subject);
    if (known) return known.read();
    const fold = new Fold(this.store, subject, initial(subject), apply);
    const state = await fold.read();
    if (state.position > 0) this.#folds.set(subject, this.#folds.get(subject) ?? fold);
    return state;
  }

  /**
   * Decides from the newest state of a record and writes it. One after the other: many that decide from the same state
   * at once would each have to decide again for all before it.
   */
  async change(
    subject: string,
    decide: (state: RecordState) => Decided,
  ): Promise<Pick<Committed<RecordEvent>, "cursor" | "events">> {
    const mine = (this.#turns.get(subject) ?? Promise.resolve()).then(() =>
      settle<RecordState, RecordEvent>(this.store, subject, () => this.state(subject), decide),
    );
    const ended = mine.then(
      () => {},
      () => {},
    );
    this.#turns.set(subject, ended);
    try {
      return await mine;
    } finally {
      if (this.#turns.get(subject) === ended) this.#turns.delete(subject);
    }
  }
}
