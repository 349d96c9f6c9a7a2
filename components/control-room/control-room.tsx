import { allCalls } from "@/lib/agents/state";
import { useConnection } from "../live-page";
import { Panel } from "../ui/panel";
import { AgentCard } from "./agent-card";
import { Bank } from "./bank";
import { Cluster } from "./cluster";
import { CreateAgent } from "./create-agent";
import { EventsTable } from "./events-table";
import { InDoubt } from "./in-doubt";
import { useLive } from "./live";
import { LiveTimeline } from "./live-timeline";
import { Records } from "./records";
import { Scrubber } from "./scrubber";
import { Sheet } from "./sheet";
import { useView } from "./view";
import { Workers } from "./workers";

/** What is happening, live: the same for every reader of this playground. */
export function ControlRoom() {
  const connection = useConnection();
  const live = useLive();
  const { log, head, cursor } = live;
  const { agents, runtime, crew, records } = useView();
  const defined = Object.values(agents).filter(({ definition }) => definition !== null);
  const quiet = [defined, Object.keys(crew), Object.keys(records)].every((some) => some.length === 0);
  // The bank is no part of their story. By the present: what is shown of the past stands in the same places.
  const atRecords = Object.keys(live.agents).length === 0 && Object.keys(live.records).length > 0;
  const interrupts = defined.flatMap(({ interrupts, run }) =>
    interrupts.filter(
      ({ status, call }) => status === "open" || allCalls(run).some(({ id }) => id === call.id),
    ),
  );
  if (log === null || cursor < head) {
    return (
      <aside aria-label="Control room" className="border-line bg-sunk p-4 lg:border-l">
        <p role="status">
          {connection === "reconnecting"
            ? "✕ No server answers. Start it with npm start; the page tries again by itself."
            : "… Reading the log."}
        </p>
      </aside>
    );
  }
  return (
    <Sheet agents={defined} gone={connection === "reconnecting"} runtime={runtime}>
      {connection === "reconnecting" ? (
        <p role="alert" className="rounded-md border border-death bg-death-ground px-3 py-2 text-death">
          <span aria-hidden>✕ </span>The server is gone. What you see is the log as of event {cursor}. Start
          it again with <code className="font-mono">npm start</code>; the page reconnects by itself.
        </p>
      ) : null}
      {runtime === "stopped" ? (
        <p className="rounded-md border border-line bg-sheet px-3 py-2">
          <span aria-hidden>■ </span>The runtime was stopped on purpose: no agent has a process. Asks and
          decisions are kept; press Start runtime.
        </p>
      ) : null}
      {/* Decided ones stay where they are: nothing else may slide under a pointer that presses twice. */}
      {interrupts.map((interrupt) => (
        <InDoubt key={interrupt.id} interrupt={interrupt} />
      ))}
      {quiet ? <CreateAgent /> : null}
      {defined.map((agent) => (
        <AgentCard key={agent.id} agent={agent} />
      ))}
      <Workers />
      <Records />
      <Cluster />
      {atRecords ? null : <Bank agents={defined} />}
      <LiveTimeline />
      <Panel title="Events">
        <EventsTable />
        <Scrubber />
      </Panel>
    </Sheet>
  );
}
