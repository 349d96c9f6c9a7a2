/**
 * A page's one stream, lent to its worker and to other tabs: a browser allows six connections to a host, and neither a
 * cell that follows a log nor a seventh tab must wait for one. Pure on both sides; the messages go over `postMessage`.
 */

import { indexAfter, type Live, nothing } from "./live";
import type { StreamMessage, StreamSource } from "./stream";

/** The borrower's own name for it: a number in a page's worker, a tab's name between tabs. */
type LoanId = number | string;

/** What a borrower says. */
export type Borrowing = { borrows: LoanId; after: number; agent?: string } | { returns: LoanId };

/** What the lender gives. */
export interface Lending {
  to: LoanId;
  messages: StreamMessage[];
}

/** The borrower's side. */
export function borrower(say: (borrowing: Borrowing) => void): {
  source: StreamSource;
  take(lending: Lending): void;
} {
  const readers = new Map<LoanId, (messages: StreamMessage[]) => void>();
  let ids = 0;
  async function* source({ after = 0, agent, signal }: Parameters<StreamSource>[0]) {
    const id = ++ids;
    const queue: StreamMessage[] = [];
    let wake = () => {};
    readers.set(id, (messages) => {
      queue.push(...messages);
      wake();
    });
    const abort = () => wake();
    signal?.addEventListener("abort", abort);
    say({ borrows: id, after, ...(agent && { agent }) });
    try {
      while (!signal?.aborted) {
        const message = queue.shift();
        if (message) yield message;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      signal?.removeEventListener("abort", abort);
      readers.delete(id);
      say({ returns: id });
    }
  }
  return { source, take: ({ to, messages }) => readers.get(to)?.(messages) };
}

interface Loan {
  after: number;
  agent?: string;
  log: string | null;
  /** What it was given of what has no cursor. */
  given: Pick<Live, "world" | "leases" | "workers" | "speeches">;
}

/** The lender's side: gives each borrower what the page has seen since. */
export class Lender {
  readonly #loans = new Map<LoanId, Loan>();
  readonly #give: (lending: Lending) => void;
  #live: Live;

  constructor(live: Live, give: (lending: Lending) => void) {
    this.#live = live;
    this.#give = give;
  }

  hear(borrowing: Borrowing): void {
    if ("returns" in borrowing) {
      this.#loans.delete(borrowing.returns);
      return;
    }
    const { borrows, after, agent } = borrowing;
    this.#loans.set(borrows, { after, log: null, given: nothing, ...(agent && { agent }) });
    this.#serve(borrows);
  }

  /** The page has seen more. */
  update(live: Live): void {
    this.#live = live;
    for (const id of this.#loans.keys()) this.#serve(id);
  }

  #serve(id: LoanId): void {
    const loan = this.#loans.get(id);
    const { log, base, head, cursor, events, world, leases, workers, speeches } = this.#live;
    if (!loan || log === null) return;
    const messages: StreamMessage[] = [];
    if (loan.log !== log) messages.push({ is: "log", log, base, cursor: head });
    for (let index = indexAfter(events, loan.after); index < events.length; index++) {
      const event = events[index];
      if (event && (loan.agent === undefined || event.subject === loan.agent))
        messages.push({ is: "event", event });
    }
    const { given } = loan;
    if (loan.agent === undefined) {
      if (world && world !== given.world) messages.push({ is: "world", world });
      if (leases !== given.leases) messages.push({ is: "leases", leases });
      if (workers !== given.workers) messages.push({ is: "workers", workers });
    }
    for (const [agent, spoken] of Object.entries(speeches)) {
      const wanted = loan.agent === undefined || loan.agent === agent;
      if (wanted && spoken !== given.speeches[agent])
        messages.push({ is: "speech", speech: { ...spoken, from: 0 } });
    }
    this.#loans.set(id, {
      ...loan,
      log,
      given: { world, leases, workers, speeches },
      after: Math.max(loan.after, cursor),
    });
    if (messages.length > 0) this.#give({ to: id, messages });
  }
}
