import { Fragment, useLayoutEffect, useRef, useState } from "react";
import { type Envelope, shortType } from "@/lib/log/event";
import { useLive } from "./live";
import { clock } from "./words";

/** So many rows are drawn; a longer log is read page by page from the API. */
const MOST_ROWS = 500;

export function EventsTable({ agent }: { agent?: string }) {
  const { events: all } = useLive();
  const events = agent === undefined ? all : all.filter(({ subject }) => subject === agent);
  const [open, setOpen] = useState<string | null>(null);
  const scroller = useRef<HTMLElement>(null);
  const atEnd = useRef(true);

  // New rows are shown to whoever reads the newest; they move nothing for whoever reads an older one.
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && events.length > 0 && atEnd.current && open === null)
      element.scrollTop = element.scrollHeight;
  }, [events, open]);

  const hidden = Math.max(0, events.length - MOST_ROWS);
  if (events.length === 0) return <p className="text-soft">0 events. The log is empty.</p>;
  return (
    <section
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      aria-label="Event log"
      className="relative max-h-[46vh] overflow-auto"
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        atEnd.current = scrollHeight - scrollTop - clientHeight < 24;
      }}
    >
      {hidden > 0 ? <p className="text-[13px] text-soft">{hidden} older events are not drawn.</p> : null}
      <table className="w-full border-collapse font-mono text-[13px]">
        <thead>
          <tr className="text-left font-sans text-xs text-soft">
            {["#", "time", "type", "tool", "attempt", "pid"].map((name) => (
              <th key={name} scope="col" className="sticky top-0 bg-sheet py-0.5 pr-2.5 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {events.slice(hidden).map((event) => (
            <Row
              key={event.id}
              event={event}
              open={open === event.id}
              toggle={() => setOpen(open === event.id ? null : event.id)}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({ event, open, toggle }: { event: Envelope; open: boolean; toggle: () => void }) {
  const { tool, attempt, pid } = event.data as { tool?: { name: string }; attempt?: number; pid?: number };
  const died = event.type === "relight.agent.crashed" || event.type === "relight.run.failed";
  const doubt = event.type.startsWith("relight.interrupt.") || event.type === "relight.run.interrupted";
  const tone = died ? "bg-death-ground text-death" : doubt ? "bg-doubt-ground text-doubt" : "";
  return (
    <Fragment>
      <tr className={`whitespace-nowrap border-t border-line ${tone}`}>
        <td className="pr-2.5">
          <button
            type="button"
            aria-expanded={open}
            className="underline underline-offset-2"
            onClick={toggle}
          >
            <span className="sr-only">Event </span>
            {event.sequence}
          </button>
        </td>
        <td className="pr-2.5">{clock(event.time, 3)}</td>
        <td className="pr-2.5">{shortType(event.type)}</td>
        <td className="pr-2.5">{tool?.name}</td>
        <td className="pr-2.5">{attempt}</td>
        <td>{pid}</td>
      </tr>
      {open ? (
        <tr>
          <td colSpan={6}>
            <pre className="overflow-x-auto whitespace-pre-wrap break-all bg-sunk p-2 text-xs">
              {JSON.stringify(event, null, 2)}
            </pre>
          </td>
        </tr>
      ) : null}
    </Fragment>
  );
}
