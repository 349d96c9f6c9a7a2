import { useEffect, useId, useMemo, useRef, useState } from "react";
import { ALL, choices, choose, countUpTo, rowOf } from "@/lib/client/event-rows";
import type { Envelope } from "@/lib/log/event";
import { useConnection } from "../live-page";
import { Button } from "../ui/button";
import { NewEvents } from "./events/new-events";
import { Rows } from "./events/rows";
import { select, useSelected } from "./selection";
import { useScrub, useView } from "./view";

/** The log as a table: of all of it, or of one agent. Up to the point that the reader looks at. */
export function EventsTable({ agent }: { agent?: string }) {
  const { events: all, log } = useView();
  const events = useMemo(
    () => (agent === undefined ? all : all.filter(({ subject }) => subject === agent)),
    [all, agent],
  );
  if (events.length === 0) return <p className="text-soft">0 events. The log is empty.</p>;
  // What is paused, filtered and open belongs to one log: a reset begins with a fresh table.
  return <Log key={log} events={events} agent={agent} />;
}

/** The table of the whole log shows the event that was chosen, and chooses the one that is opened. */
function Log({ events, agent }: { events: Envelope[]; agent: string | undefined }) {
  const [choice, setChoice] = useState<string>(ALL);
  /** What is shown while paused: the log as it was then. */
  const [paused, setPaused] = useState<Envelope[] | null>(null);
  const [open, setOpen] = useState<ReadonlySet<number>>(() => new Set());
  const { at } = useScrub();
  // What is paused is the present.
  const shown = at === null ? (paused ?? events) : events;
  const rows = useMemo(() => choose(shown, choice), [shown, choice]);
  const main = agent === undefined;
  const chosen = useSelected();
  const selected = main && chosen !== null && rowOf(shown, chosen) >= 0 ? chosen : null;
  // A choice of types must not hide what was just chosen itself.
  const revealed = useRef<number | null>(null);
  useEffect(() => {
    if (selected !== null && selected !== revealed.current && rowOf(rows, selected) < 0) setChoice(ALL);
  }, [selected, rows]);
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
        <Button disabled={at !== null} onClick={() => setPaused(paused ? null : events)}>
          {paused ? "Resume" : "Pause"}
        </Button>
      </div>
      <Rows
        // Another choice is another list: it begins at its newest row.
        key={choice}
        rows={rows}
        open={open}
        setOpen={setOpen}
        selected={selected}
        revealed={revealed}
        onToggle={main ? (sequence, opened) => select(opened ? sequence : null) : undefined}
        label={main ? "Event log" : `Event log of ${agent}`}
      />
      {main && at === null ? <NewEvents cursor={shown.at(-1)?.sequence ?? 0} count={shown.length} /> : null}
    </div>
  );
}

/**
 * The same facts as in the page's header, here as well because what is paused or cut off is this table. Not a live
 * region: it changes with every event.
 */
function Liveness({ cursor, waiting }: { cursor: number; waiting: number | null }) {
  const connection = useConnection();
  const { at } = useScrub();
  const gone = connection === "reconnecting";
  if (at !== null) return <span className="text-ink">as of event {cursor}</span>;
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
