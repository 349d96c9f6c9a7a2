import { useId, useMemo, useState } from "react";
import { ALL, choices, choose, countUpTo } from "@/lib/client/event-rows";
import type { Envelope } from "@/lib/log/event";
import { useConnection } from "../live-page";
import { Button } from "../ui/button";
import { NewEvents } from "./events/new-events";
import { Rows } from "./events/rows";
import { useLive } from "./live";

/** The log as a table: of all of it, or of one agent. */
export function EventsTable({ agent }: { agent?: string }) {
  const { events: all, log } = useLive();
  const events = useMemo(
    () => (agent === undefined ? all : all.filter(({ subject }) => subject === agent)),
    [all, agent],
  );
  if (events.length === 0) return <p className="text-soft">0 events. The log is empty.</p>;
  // What is paused, filtered and open belongs to one log: a reset begins with a fresh table.
  return <Log key={log} events={events} agent={agent} />;
}

function Log({ events, agent }: { events: Envelope[]; agent: string | undefined }) {
  const [choice, setChoice] = useState<string>(ALL);
  /** What is shown while paused: the log as it was then. */
  const [paused, setPaused] = useState<Envelope[] | null>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const shown = paused ?? events;
  const rows = useMemo(() => choose(shown, choice), [shown, choice]);
  const waiting = useMemo(() => {
    const last = paused?.at(-1)?.sequence;
    return last === undefined ? 0 : choose(events.slice(countUpTo(events, last)), choice).length;
  }, [events, paused, choice]);

  return (
    <div>
      <div className="mb-1.5 flex flex-wrap items-center gap-x-3 gap-y-1.5">
        <p className="grow text-[13px] text-soft">
          <Liveness cursor={events.at(-1)?.sequence ?? 0} waiting={paused ? waiting : null} />
        </p>
        <Choose events={events} choice={choice} choose={setChoice} />
        <Button onClick={() => setPaused(paused ? null : events)}>{paused ? "Resume" : "Pause"}</Button>
      </div>
      <Rows
        // Another choice is another list: it begins at its newest row.
        key={choice}
        rows={rows}
        open={open}
        setOpen={setOpen}
        label={agent === undefined ? "Event log" : `Event log of ${agent}`}
      />
      {agent === undefined ? <NewEvents cursor={shown.at(-1)?.sequence ?? 0} count={shown.length} /> : null}
    </div>
  );
}

/**
 * The same facts as in the page's header, here as well because what is paused or cut off is this table. Not a live
 * region: it changes with every event.
 */
function Liveness({ cursor, waiting }: { cursor: number; waiting: number | null }) {
  const connection = useConnection();
  const gone = connection === "reconnecting";
  if (waiting !== null) {
    return (
      <>
        <span className="text-ink">paused, {waiting} new</span>
        {gone ? <span className="text-death"> · server gone</span> : null}
      </>
    );
  }
  return (
    <>
      event {cursor} · {gone ? <span className="text-death">server gone, reconnecting</span> : connection}
    </>
  );
}

interface ChooseProps {
  events: Envelope[];
  choice: string;
  choose(choice: string): void;
}

function Choose({ events, choice, choose }: ChooseProps) {
  const id = useId();
  const { groups, types } = useMemo(() => choices(events), [events]);
  const option = ({ id, label, count }: (typeof types)[number]) => (
    <option key={id} value={id}>
      {label} ({count})
    </option>
  );
  return (
    <>
      <label htmlFor={id} className="sr-only">
        Types of events
      </label>
      <select
        id={id}
        value={choice}
        onChange={({ target }) => choose(target.value)}
        className="min-h-8 max-w-full rounded-md border border-line bg-sheet px-2 text-[13px] text-ink"
      >
        {groups.map(option)}
        <optgroup label="One type">{types.map(option)}</optgroup>
      </select>
    </>
  );
}
