import { useCallback, useEffect, useReducer, useRef } from "react";
import { Lender } from "@/lib/client/lent";
import type { FromWorker, ToWorker } from "@/lib/notebooks/kernel-worker";
import { type Act, act, begin, type Kept, keep, type Session } from "@/lib/notebooks/session";
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

/** Keeps outputs and edits in this browser, under the notebook's name. */
function useKept(
  slug: string,
  cells: readonly { id: string; code: string }[],
  session: Session,
  dispatch: (what: Act) => void,
): void {
  const key = `relight:notebook:${slug}`;
  const restored = useRef(false);
  useEffect(() => {
    // After the first drawing, which must be the server's.
    restored.current = true;
    dispatch({ do: "restore", cells, kept: read(key) });
  }, [key, cells, dispatch]);
  useEffect(() => {
    if (!restored.current) return;
    const saving = setTimeout(() => write(key, session), 300);
    return () => clearTimeout(saving);
  }, [key, session]);
}

function read(key: string): Record<string, Kept> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? "{}") as Record<string, Kept>;
  } catch {
    return {};
  }
}

function write(key: string, { cells }: Session): void {
  const kept = Object.fromEntries(Object.entries(cells).map(([id, cell]) => [id, keep(cell)]));
  try {
    localStorage.setItem(key, JSON.stringify(kept));
  } catch {
    // More than the browser keeps: the edits at least.
    const edits = Object.entries(kept).map(([id, cell]) => [id, { ...cell, outputs: [] }]);
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(edits)));
  }
}
