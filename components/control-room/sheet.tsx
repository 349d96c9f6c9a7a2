import { type ReactNode, useState } from "react";
import type { AgentState } from "@/lib/agents/state";
import { runningCalls } from "@/lib/agents/view";
import type { Live } from "@/lib/client/live";
import { Alerts } from "./alerts";
import { useLive } from "./live";

/**
 * Where the control room stands: beside the notebook, always in sight; on a narrow screen in a sheet, which opens from a
 * bar that says the one thing that matters now.
 */
export function Sheet({ children, ...situation }: Situation & { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  const { text, tone } = matters(situation, useLive().leases);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only hears Escape, from whatever in it has the focus
    <div className="contents" onKeyDown={({ key }) => key === "Escape" && setOpen(false)}>
      {/* Outside of what may be hidden: it is said all the same. */}
      <Alerts />
      <aside
        aria-label="Control room"
        id="control-room"
        className={`grid grid-cols-[minmax(0,1fr)] content-start gap-3 overflow-y-auto border-line bg-sunk p-4 max-lg:fixed max-lg:inset-x-0 max-lg:bottom-12 max-lg:z-20 max-lg:max-h-[75vh] max-lg:border-t lg:sticky lg:top-[var(--header)] lg:h-[calc(100vh-var(--header))] lg:border-l ${open ? "" : "max-lg:hidden"}`}
      >
        {children}
      </aside>
      <div className="fixed inset-x-0 bottom-0 z-20 border-t border-line bg-sheet lg:hidden">
        <button
          type="button"
          aria-expanded={open}
          aria-controls="control-room"
          className="flex min-h-12 w-full items-center gap-3 px-4 text-left text-[14px]"
          onClick={() => setOpen(!open)}
        >
          <span className="font-medium">Control room</span>
          <span className={`min-w-0 flex-1 truncate ${tone}`}>{text}</span>
          <span aria-hidden>{open ? "▾" : "▴"}</span>
        </button>
      </div>
    </div>
  );
}

interface Situation {
  agents: AgentState[];
  /** No server answers. */
  gone: boolean;
  runtime: Live["runtime"];
}

/** No server before a decision, a decision before a running call, a running call before all else. */
function matters(
  { agents, gone, runtime }: Situation,
  leases: Live["leases"],
): { text: string; tone: string } {
  if (gone) return { text: "the server is gone", tone: "text-death" };
  const open = agents.flatMap(({ interrupts }) => interrupts).filter(({ status }) => status === "open");
  if (open[0]) return { text: `${open[0].call.tool} is in doubt: decide`, tone: "text-doubt" };
  const [call] = agents.flatMap(runningCalls);
  if (call) return { text: `${call.tool} runs, attempt ${call.attempt}`, tone: "text-accent" };
  const [lease] = leases;
  if (lease) return { text: `${lease.field}: ${lease.owner.replace("apikey:", "")}`, tone: "text-accent" };
  if (runtime === "stopped") return { text: "the runtime is stopped", tone: "text-soft" };
  return { text: "nothing runs", tone: "text-soft" };
}
