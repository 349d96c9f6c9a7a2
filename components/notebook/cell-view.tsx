import type { Cell } from "@/lib/notebooks/parse";
import { type CellState, isStale } from "@/lib/notebooks/session";
import { Button } from "../ui/button";
import { useNow } from "../ui/use-now";
import { Editor } from "./editor";
import { Outputs } from "./outputs";
import type { NotebookHandle } from "./use-notebook";

export function CellView({ cell, notebook }: { cell: Cell; notebook: NotebookHandle }) {
  const { session, run, stop, edit, press } = notebook;
  const state = session.cells[cell.id];
  if (!state) return null;
  const { order } = session;
  const upTo = order.slice(0, order.indexOf(cell.id) + 1);
  const next = order[order.indexOf(cell.id) + 1];
  const running = session.running === cell.id;
  return (
    <section
      aria-label={`Cell ${cell.id}`}
      id={domId(cell.id)}
      className="my-5 scroll-mt-[calc(var(--header)+16px)]"
    >
      <div className="overflow-hidden rounded-lg border border-line bg-code">
        <div className="flex flex-wrap items-center gap-3 border-b border-line py-1.5 pl-3.5 pr-2 text-[13px]">
          <span className="font-mono text-soft">ts</span>
          <Status state={state} stale={isStale(session, cell.id)} />
          <span className="flex-1" />
          {/* Not in Run's place: whoever presses that twice must not stop what they began. */}
          {running ? <Button onClick={stop}>■ Stop</Button> : null}
          {state.code !== cell.code ? (
            <Button onClick={() => edit(cell.id, cell.code)}>Reset cell</Button>
          ) : null}
          <Button onClick={() => run(...upTo)} disabled={session.running !== null}>
            Run to here
          </Button>
          <Button tone="accent" disabled={session.running !== null} onClick={() => run(cell.id)}>
            ▶ {state.status === "not run" ? "Run" : "Run again"}
          </Button>
        </div>
        <Editor
          label={`Code of cell ${cell.id}`}
          code={state.code}
          change={(code) => edit(cell.id, code)}
          run={() => session.running === null && run(cell.id)}
          runAndMoveOn={() => {
            if (session.running === null) run(cell.id);
            if (next)
              document.getElementById(domId(next))?.querySelector<HTMLElement>(".cm-content")?.focus();
          }}
        />
      </div>
      <Outputs outputs={state.outputs} spent={state.earlier} press={press} />
    </section>
  );
}

/** Headings have ids of their own, from their words. */
const domId = (id: string): string => `cell-${id}`;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/** By word and mark, not by colour alone. */
function Status({ state, stale }: { state: CellState; stale: boolean }) {
  const { status, ms, earlier, startedAt } = state;
  const said = () => {
    switch (status) {
      case "not run":
        return <span className="text-soft">○ not run</span>;
      case "queued":
        return <span className="text-soft">… queued</span>;
      case "running":
        return (
          <span>
            ◌ running <Elapsed since={startedAt ?? 0} />
          </span>
        );
      case "waiting":
        return <span className="text-doubt">◇ waiting for you</span>;
      case "done":
        return <span className="text-accent">✓ done{ms === null ? "" : ` in ${seconds(ms)}`}</span>;
      case "failed":
        return <span className="text-death">✕ failed{ms === null ? "" : ` after ${seconds(ms)}`}</span>;
      case "stopped":
        return <span className="text-death">■ stopped</span>;
    }
  };
  return (
    <span>
      {said()}
      {earlier ? <span className="text-soft"> · from earlier</span> : null}
      {stale ? <span className="text-soft"> · stale: a cell above ran after it</span> : null}
    </span>
  );
}

function Elapsed({ since }: { since: number }) {
  const now = useNow(true);
  return <span aria-hidden>{seconds(Math.max(0, now - since))}</span>;
}
