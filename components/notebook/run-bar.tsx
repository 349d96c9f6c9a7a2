import type { ReactNode } from "react";
import { Button } from "../ui/button";
import type { NotebookHandle } from "./use-notebook";

/** What one does with the whole notebook. */
export function RunBar({
  notebook: { session, run, stop },
  children,
}: {
  notebook: NotebookHandle;
  children: ReactNode;
}) {
  const { running, held, order, queue } = session;
  return (
    <div className="flex flex-wrap items-center gap-3">
      <Button tone="accent" disabled={running !== null} onClick={() => run(...order)}>
        Run all
      </Button>
      {running !== null ? <Button onClick={stop}>Stop</Button> : null}
      {children}
      <span role="status" className="text-[13px] text-soft">
        {running !== null ? `Running ${running}; ${queue.length} to go.` : null}
        {held !== null ? `Waiting for you at ${held}; ${queue.length} to go.` : null}
      </span>
    </div>
  );
}
