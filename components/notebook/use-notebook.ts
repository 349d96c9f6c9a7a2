import { useCallback, useEffect, useReducer, useRef } from "react";
import { Lender } from "@/lib/client/lent";
import type { FromWorker, ToWorker } from "@/lib/notebooks/kernel-worker";
import { withoutOwnKeys } from "@/lib/notebooks/markdown";
import { type Act, act, begin, type CellState, type Kept, keep, type Session } from "@/lib/notebooks/session";
import { useLive } from "../control-room/live";

export interface NotebookHandle {
  session: Session;
  run(...ids: string[]): void;
  press(buttons: string, label: string): void;
  /** Ends the kernel: an endless loop too. */
  stop(): void;
  edit(id: string, code: string): void;
}

/** A reader's session: its kernel is a worker, its outputs and edits survive a reload. */
/** @param model what cells read as `relight.model` */
export function useNotebook(
  slug: string,
  cells: readonly { id: string; code: string }[],
  model: string,
): NotebookHandle {
  const [session, dispatch] = useReducer(act, cells, begin);
  const kernel = useKernel(dispatch);
  useKept(slug, cells, session, dispatch);

  // The reducer says which cell runs; the kernel is asked once for each run.
  const asked = useRef(0);
  useEffect(() => {
    const { running, runs } = session;
    const cell = running === null ? undefined : session.cells[running];
    if (!cell || running === null || cell.run !== runs || asked.current === runs) return;
    asked.current = runs;
    kernel.ask({ model });
    kernel.ask({ ask: "run", cell: running, code: cell.code });
  }, [session, kernel.ask, model]);

  return {
    session,
    run: (...ids) => dispatch({ do: "run", ids, at: Date.now() }),
    press: (buttons, label) => kernel.ask({ ask: "press", buttons, label }),
    stop: () => {
      kernel.end();
      dispatch({ do: "stop", at: Date.now() });
    },
    edit: (id, code) => dispatch({ do: "edit", id, code }),
  };
}

function useKernel(dispatch: (what: Act) => void): { ask(message: ToWorker): void; end(): void } {
  const live = useLive();
  const latest = useRef(live);
  latest.current = live;
  const running = useRef<{ worker: Worker; lender: Lender } | null>(null);

  const start = useCallback(() => {
    const worker = new Worker("/kernel.js");
    const lender = new Lender(latest.current, (lending) => worker.postMessage(lending));
    worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
      if ("tells" in data) dispatch({ do: "told", message: data, at: Date.now() });
      else lender.hear(data);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      running.current = null;
      const why =
        "The kernel could not be loaded or has ended. Is the server there? Run the cell again then.";
      dispatch({ do: "lost", why, at: Date.now() });
    };
    running.current = { worker, lender };
    return running.current;
  }, [dispatch]);

  useEffect(() => running.current?.lender.update(live), [live]);
  useEffect(
    () => () => {
      running.current?.worker.terminate();
      running.current = null;
    },
    [],
  );

  const ask = useCallback(
    (message: ToWorker) => (running.current ?? start()).worker.postMessage(message),
    [start],
  );
  const end = useCallback(() => {
    running.current?.worker.terminate();
    running.current = null;
  }, []);
  return { ask, end };
}

/**
 * Keeps outputs and edits in this browser, each cell by itself: another tab of the notebook may have changed others, and
 * what this one did not touch it must not write.
 */
function useKept(
  slug: string,
  cells: readonly { id: string; code: string }[],
  session: Session,
  dispatch: (what: Act) => void,
): void {
  const written = useRef<Record<string, string> | null>(null);
  useEffect(() => {
    // After the first drawing, which must be the server's.
    const texts = cells.map(({ id }) => [id, localStorage.getItem(keyOf(slug, id))] as const);
    const kept = Object.fromEntries(texts.map(([id, text]) => [id, parse(text)]));
    dispatch({ do: "restore", cells, kept });
    const restored = Object.values(begin(cells, kept).cells);
    written.current = Object.fromEntries(cells.map(({ id }, at) => [id, textOf(restored[at])]));
  }, [slug, cells, dispatch]);
  useEffect(() => {
    const saving = setTimeout(() => {
      for (const [id, cell] of Object.entries(session.cells)) {
        const text = textOf(cell);
        if (!written.current || written.current[id] === text) continue;
        written.current[id] = text;
        write(keyOf(slug, id), cell, text);
      }
    }, 300);
    return () => clearTimeout(saving);
  }, [slug, session]);
}

const keyOf = (slug: string, cell: string): string => `relight:notebook:${slug}:${cell}`;

/** What a cell showed outlives the page; a key that it showed does not. */
const textOf = (cell: CellState | undefined): string =>
  cell ? withoutOwnKeys(JSON.stringify(keep(cell))) : "";

function parse(text: string | null): Kept | undefined {
  try {
    return text === null ? undefined : (JSON.parse(text) as Kept);
  } catch {
    return undefined;
  }
}

function write(key: string, cell: CellState, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // More than the browser keeps: the edit at least.
    localStorage.setItem(key, JSON.stringify({ ...keep(cell), outputs: [] }));
  }
}
