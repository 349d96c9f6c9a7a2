import { useId } from "react";
import type { Tools } from "@/lib/agents/next";
import { allCalls } from "@/lib/agents/state";
import { indexAfter } from "@/lib/client/live";
import { endOfCommit, ifItCrashedHere } from "@/lib/client/replay";
import { isAlive } from "@/lib/records/worker-state";
import { Button } from "../ui/button";
import { useLive, useRuntime } from "./live";
import { useScrub, useView } from "./view";

/** A slider over the log, and what recovery would do if it crashed at that point. */
export function Scrubber() {
  const { events, cursor } = useLive();
  const { at, show } = useScrub();
  const view = useView();
  const registered = useRuntime().data?.tools;
  const id = useId();
  const agents = Object.values(view.agents).filter(({ definition }) => definition !== null);
  // A stopped runtime has no tools; what was promised when the turn was saved is the best that is known then.
  const promised = agents
    .flatMap(({ run }) => allCalls(run))
    .map(({ tool: name, idempotent }) => ({ name, idempotent }));
  const known = registered && registered.length > 0 ? registered : promised;
  const tools: Tools = Object.fromEntries(known.map((tool) => [tool.name, tool]));
  const isGone = (owner: string) => {
    const life = view.crew[owner.replace(/^.*\//, "")];
    return life !== undefined && !isAlive(life.state);
  };
  const first = events[0]?.sequence;
  if (first === undefined) return null;
  const shown = at ?? cursor;
  const prospects = ifItCrashedHere(agents, tools);
  const leases = Object.values(view.records).flatMap(({ class: of, id, claims }) =>
    Object.entries(claims).flatMap(([field, { owner, released }]) =>
      released ? [] : [{ name: `${of}/${id}`, field, owner }],
    ),
  );
  const move = (value: number) => {
    const end = endOfCommit(events, value);
    // One step back from the end of a commit is the end of the one before it.
    const before = events[indexAfter(events, end) - 1]?.commit ?? 1;
    const chosen = value < shown && end >= shown ? before - 1 : end;
    show(chosen >= cursor ? null : Math.max(chosen, first));
  };
  return (
    <div className="mt-3">
      <div className="flex items-center gap-3 text-[13px]">
        <label htmlFor={id} className="text-soft">
          {at === null ? `Now, event ${cursor}` : `As of event ${at} of ${cursor}`}
        </label>
        <span className="flex-1" />
        {at !== null ? <Button onClick={() => show(null)}>Back to now</Button> : null}
      </div>
      <input
        id={id}
        type="range"
        min={first}
        max={cursor}
        value={shown}
        aria-valuetext={`event ${shown} of ${cursor}`}
        onChange={(event) => move(Number(event.target.value))}
        className="w-full accent-accent"
      />
      <div className="border-l-[3px] border-accent bg-accent-ground px-2.5 py-2 text-[14px]">
        {prospects.length + leases.length === 0
          ? "If it crashed here: nothing is lost, since nothing is under way."
          : null}
        {prospects.map(({ agent, what, why }) => (
          <div key={`${agent} ${what}`}>
            If it crashed here: <b>{what}.</b> {why}
          </div>
        ))}
        {leases.map(({ name, field, owner }) => (
          <div key={`${name} ${field}`}>
            {isGone(owner) ? `${owner} is gone: ` : `If ${owner} died here: `}
            <b>
              {field} of {name} stays its own.
            </b>{" "}
            Once the lease has run out, whoever claims next takes over.
          </div>
        ))}
      </div>
    </div>
  );
}
