/**
 * A reader's session with a notebook: what each cell is, shows and waits for. Pure: a page sends it what a person does and
 * what the kernel tells, and draws what it says.
 */
import type { FromKernel } from "./kernel";
import { type Output, take } from "./output";

type CellStatus = "not run" | "queued" | "running" | "waiting" | "done" | "failed" | "stopped";

export interface CellState {
  /** As it stands in the editor. */
  code: string;
  status: CellStatus;
  /** What it was before it was queued. */
  before: CellStatus;
  outputs: Output[];
  /** Epoch milliseconds. */
  startedAt: number | null;
  /** How long it ran; null while it does, and before. */
  ms: number | null;
  /** The how manieth run of the session it was; 0 before the first. */
  run: number;
  /** Its kernel has ended: names are gone, buttons are spent. */
  earlier: boolean;
}

export interface Session {
  /** Cells in the order in which they stand. */
  order: readonly string[];
  cells: Readonly<Record<string, CellState>>;
  running: string | null;
  queue: readonly string[];
  /** The cell whose button the queue waits for. */
  held: string | null;
  runs: number;
}

export type Act =
  /** Runs cells one after the other. */
  | { do: "run"; ids: readonly string[]; at: number }
  | { do: "told"; message: FromKernel; at: number }
  /** The kernel was ended. */
  | { do: "stop"; at: number }
  /** The kernel ended, or never began. */
  | { do: "lost"; why: string; at: number }
  | { do: "edit"; id: string; code: string }
  /** What an earlier visit left. */
  | {
      do: "restore";
      cells: readonly { id: string; code: string }[];
      kept: Readonly<Record<string, Kept | undefined>>;
    };

export function begin(
  cells: readonly { id: string; code: string }[],
  kept: Readonly<Record<string, Kept | undefined>> = {},
): Session {
  const states = cells.map(({ id, code }): [string, CellState] => [id, { ...fresh(code), ...kept[id] }]);
  return {
    order: cells.map(({ id }) => id),
    cells: Object.fromEntries(states),
    running: null,
    queue: [],
    held: null,
    runs: Math.max(0, ...states.map(([, { run }]) => run)),
  };
}

/** What outlives a reload. */
export type Kept = Pick<CellState, "code" | "status" | "outputs" | "ms" | "run" | "earlier">;

/** A cell as it is found after a reload: whatever ran does not run any more. */
export function keep({ code, status: now, before, outputs, ms, run }: CellState): Kept {
  // One that was only queued is what it was.
  const status = now === "queued" ? before : now;
  const ended = status === "running" || status === "waiting" ? "stopped" : status;
  return { code, outputs, ms, run, status: ended, earlier: ended !== "not run" };
}

export function act(session: Session, what: Act): Session {
  switch (what.do) {
    case "run": {
      const ids = what.ids.filter((id) => id !== session.running);
      const queued = ids.reduce((folded, id) => {
        const { status } = folded.cells[id] ?? { status: "not run" };
        return change(folded, id, { status: "queued", before: status });
      }, unqueued(session));
      return startNext({ ...queued, queue: ids, held: null }, what.at);
    }
    case "told":
      return told(session, what.message, what.at);
    case "stop": {
      const stopped = session.order.reduce((folded, id) => {
        const { status, startedAt } = folded.cells[id] as CellState;
        if (status === "not run") return folded;
        if (status !== "running" && status !== "waiting") return change(folded, id, { earlier: true });
        return change(folded, id, {
          status: "stopped",
          earlier: true,
          ms: startedAt ? what.at - startedAt : null,
        });
      }, unqueued(session));
      return { ...stopped, running: null, queue: [], held: null };
    }
    case "lost": {
      const { running } = session;
      const stopped = act(session, { do: "stop", at: what.at });
      if (running === null) return stopped;
      const error: Output = { kind: "error", code: "UNAVAILABLE", message: what.why, line: null };
      const outputs = [...(stopped.cells[running]?.outputs ?? []), error];
      return change(stopped, running, { status: "failed", outputs });
    }
    case "edit":
      return change(session, what.id, { code: what.code });
    case "restore":
      return begin(what.cells, what.kept);
  }
}

/** Has a cell above this one run since? What it shows may not be what it would show now. */
export function isStale({ order, cells }: Session, id: string): boolean {
  const run = cells[id]?.run ?? 0;
  if (run === 0) return false;
  return order.slice(0, order.indexOf(id)).some((above) => (cells[above]?.run ?? 0) > run);
}

function told(session: Session, message: FromKernel, at: number): Session {
  const cell = session.cells[message.cell];
  if (!cell) return session;
  const { startedAt } = cell;
  const ended = { ms: startedAt === null ? null : at - startedAt };
  switch (message.tells) {
    case "output":
    case "frame":
    case "spent":
      return change(session, message.cell, { outputs: take(cell.outputs, message) });
    case "pressed":
      return {
        ...change(session, message.cell, {
          outputs: take(cell.outputs, message),
          status: "running",
          startedAt: at,
        }),
        // What is pressed while another cell runs is done after it.
        running: session.running ?? message.cell,
        held: session.held === message.cell ? null : session.held,
      };
    case "done": {
      const { waiting } = message;
      const done = change(session, message.cell, { ...ended, status: waiting ? "waiting" : "done" });
      const free = { ...done, running: done.running === message.cell ? null : done.running };
      if (waiting) return free.queue.length > 0 ? { ...free, held: message.cell } : free;
      return startNext({ ...free, held: free.held === message.cell ? null : free.held }, at);
    }
    case "failed": {
      const failed = change(unqueued(session), message.cell, { ...ended, status: "failed" });
      return {
        ...failed,
        running: failed.running === message.cell ? null : failed.running,
        queue: [],
        held: null,
      };
    }
  }
}

function startNext(session: Session, at: number): Session {
  const [id, ...queue] = session.queue;
  if (id === undefined || session.running !== null || session.held !== null) return session;
  const runs = session.runs + 1;
  const started = {
    status: "running" as const,
    outputs: [],
    startedAt: at,
    ms: null,
    run: runs,
    earlier: false,
  };
  return { ...change(session, id, started), running: id, queue, runs };
}

/** What waits in the queue is as it was before it was asked for. */
function unqueued(session: Session): Session {
  return session.queue.reduce((folded, id) => {
    const { status, before } = folded.cells[id] as CellState;
    return status === "queued" ? change(folded, id, { status: before }) : folded;
  }, session);
}

function change(session: Session, id: string, to: Partial<CellState>): Session {
  const cell = session.cells[id];
  return cell ? { ...session, cells: { ...session.cells, [id]: { ...cell, ...to } } } : session;
}

const fresh = (code: string): CellState => ({
  code,
  status: "not run",
  before: "not run",
  outputs: [],
  startedAt: null,
  ms: null,
  run: 0,
  earlier: false,
});
