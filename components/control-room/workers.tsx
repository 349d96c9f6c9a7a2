import { isAlive, type WorkerLife } from "@/lib/records/worker-state";
import { Button } from "../ui/button";
import { Panel } from "../ui/panel";
import { Refusal } from "../ui/refusal";
import { Copyable } from "./copyable";
import { relight, useAct, useLive } from "./live";
import { useCanAct, useView } from "./view";

const marks: Record<WorkerLife["state"], { mark: string; tone: string }> = {
  running: { mark: "▶", tone: "text-accent" },
  paused: { mark: "‖", tone: "text-soft" },
  stopped: { mark: "○", tone: "text-soft" },
  crashed: { mark: "✕", tone: "text-death" },
};

/** The processes that work on records. */
export function Workers() {
  const { crew } = useView();
  return Object.values(crew)
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((life) => <WorkerCard key={life.name} life={life} />);
}

function WorkerCard({ life: { name, pid, state } }: { life: WorkerLife }) {
  const canAct = useCanAct();
  const said = useLive().workers.find((worker) => worker.name === name && worker.pid === pid);
  const worker = relight.workers.worker(name);
  const kill = useAct(() => worker.kill());
  const freeze = useAct(() => (state === "paused" ? worker.continue() : worker.pause()));
  const alive = isAlive(state);
  const { mark, tone } = marks[state];
  const disabled = !canAct || !alive || kill.busy || freeze.busy;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-baseline gap-3">
          <b className="font-mono text-[13.5px] text-ink">{name}</b>
          <span className="flex-1" />
          <span className={tone}>
            <span aria-hidden>{mark}</span> {state}
          </span>
          <span className="font-mono text-[13.5px] font-normal">{alive ? `pid ${pid}` : "no process"}</span>
        </span>
      }
    >
      <div className="flex flex-wrap items-center gap-3">
        <Button tone="death" disabled={disabled} onClick={() => kill.act()}>
          Kill {name}
        </Button>
        <Button disabled={disabled} onClick={() => freeze.act()}>
          {state === "paused" ? "Continue" : "Pause"}
        </Button>
        {alive && canAct ? <Copyable text={`kill -9 ${pid}`} /> : null}
      </div>
      <Refusal text={kill.refusal ?? freeze.refusal} />
      {canAct && said && said.output !== "" ? (
        <section
          aria-label={`What ${name} printed`}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
          tabIndex={0}
          className="mt-2 max-h-40 overflow-auto"
        >
          <pre className="whitespace-pre-wrap break-words font-mono text-[13px]">{said.output}</pre>
        </section>
      ) : null}
    </Panel>
  );
}
