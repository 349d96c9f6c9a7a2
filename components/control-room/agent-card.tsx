import { type AgentState, allCalls, type Call, isOpen, textOf } from "@/lib/agents/state";
import { type AgentStatus, type RunningCall, runningCalls, statusOf } from "@/lib/agents/view";
import { Button } from "../ui/button";
import { Panel } from "../ui/panel";
import { Refusal } from "../ui/refusal";
import { useNow } from "../ui/use-now";
import { AskBox } from "./ask-box";
import { Copyable } from "./copyable";
import { relight, useAct, useLive, useRuntime } from "./live";
import { SpeechOf } from "./speech";
import { UsageOf } from "./usage";
import { useCanAct, useScrub, useView } from "./view";
import { describeInput, secondsBetween } from "./words";

const marks: Record<AgentStatus, { mark: string; tone: string }> = {
  idle: { mark: "○", tone: "text-soft" },
  running: { mark: "▶", tone: "text-accent" },
  recovering: { mark: "◌", tone: "text-soft" },
  interrupted: { mark: "?", tone: "text-doubt" },
  failed: { mark: "✕", tone: "text-death" },
};

export function AgentCard({ agent }: { agent: AgentState }) {
  const status = statusOf(agent);
  const { mark, tone } = marks[status];
  const calls = runningCalls(agent);
  const asked = isOpen(agent.run) ? textOf(agent.messages[0]?.parts ?? []) : null;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-baseline gap-3">
          <b className="font-mono text-[13.5px] text-ink">{agent.id}</b>
          <span className="flex-1" />
          <span className={tone}>
            <span aria-hidden>{mark}</span> {status}
          </span>
          <span className="font-mono text-[13.5px] font-normal">
            {agent.process ? `pid ${agent.process.pid}` : "no process"}
            {agent.fence > 0 ? ` · fence ${agent.fence}` : ""}
          </span>
        </span>
      }
    >
      {asked ? (
        <p className="mb-2 line-clamp-3 break-words text-[13px] text-soft">
          Asked: “<bdi>{asked}</bdi>”
        </p>
      ) : null}
      {/* Its place is kept while the run goes on: what is below must not jump each time that a process dies. */}
      <div className={agent.run?.status === "running" ? "min-h-[43px]" : ""}>
        {calls.map((call) => (
          <RunningCallRow key={call.id} call={call} />
        ))}
        {calls.length === 0 ? <SpeechOf agent={agent} /> : null}
      </div>
      {isOpen(agent.run) ? <UsageOf run={agent.run} /> : null}
      <Kill agent={agent} />
      {agent.asks.length > 0 ? (
        <p className="mt-2 text-[13px] text-soft">
          {agent.asks.length} ask{agent.asks.length === 1 ? "" : "s"} waiting
        </p>
      ) : null}
      <LastAnswer agent={agent} />
      <AskBox agent={agent.id} />
    </Panel>
  );
}

function RunningCallRow({ call }: { call: RunningCall }) {
  const expected = useRuntime().data?.toolMs ?? 3000;
  const elapsed = useElapsed(call.startedAt);
  const live = useCanAct();
  const part = expected > 0 ? Math.min(elapsed / expected, 1) : 1;
  return (
    <div className="mb-2">
      <div className="flex flex-wrap items-baseline gap-3 text-[13px]">
        <span className="font-mono">
          {call.tool} {describeInput(call.input)}
        </span>
        <span className="flex-1" />
        <span>
          attempt {call.attempt} · {(elapsed / 1000).toFixed(1)} of {(expected / 1000).toFixed(1)} s
          {live ? "" : " then"}
        </span>
      </div>
      <div aria-hidden className="mt-1 h-2 overflow-hidden rounded border border-line bg-sunk">
        <div className="h-full bg-accent" style={{ width: `${part * 100}%` }} />
      </div>
    </div>
  );
}

function Kill({ agent }: { agent: AgentState }) {
  const { events } = useLive();
  const kill = useAct(() => relight.agent(agent.id).kill(), agent.position);
  const live = useCanAct();
  const pid = agent.process?.pid;
  const crash = kill.data && events.find(({ sequence }) => sequence === kill.data?.cursor);
  const into = crash && allCalls(agent.run).flatMap((call) => secondsInto(call, crash.time));
  return (
    <>
      <div className="flex flex-wrap items-center gap-3">
        <Button tone="death" disabled={kill.busy || !live} onClick={() => kill.act()}>
          Kill agent
        </Button>
        {pid && live ? <Copyable text={`kill -9 ${pid}`} /> : null}
      </div>
      {kill.data && crash && crash.time >= (agent.run?.startedAt ?? "") && !kill.refusal ? (
        <p className="mt-2 text-[13px] text-soft">
          Killed pid {kill.data.pid} with SIGKILL{into && into.length > 0 ? `, ${into.join(", ")}` : ""}.
        </p>
      ) : null}
      <Refusal text={kill.refusal} />
    </>
  );
}

/** How far a call had got when its process died then. */
function secondsInto({ tool, attempts }: Call, died: string): string[] {
  const cut = attempts.find(({ endedAt }) => endedAt === died);
  return cut ? [`${secondsBetween(cut.startedAt, died).toFixed(1)} s into ${tool}`] : [];
}

/** So much of an answer is shown; the whole is in its event. */
const SHOWN = 20_000;

/** Why a model stopped that was not done. */
const STOPS: Record<string, string> = {
  max_tokens: "Cut off: the model reached the most tokens of a turn.",
  refusal: "The model refused to answer.",
};

/** What the last run came to. */
function LastAnswer({ agent: { id, run, definition } }: { agent: AgentState }) {
  if (!run || run.status === "running" || run.status === "interrupted") return null;
  const scripted = run.definition.model.startsWith("scripted:");
  const failed = run.status === "failed";
  const said = failed ? `${run.error?.code}: ${run.error?.message}` : run.text;
  return (
    <div className="mt-3 border-l-2 border-accent pl-3">
      <div className="text-[13px] text-soft">
        {failed ? "The run failed" : `Answer (${scripted ? "scripted model" : run.definition.model})`}
      </div>
      <div className="whitespace-pre-wrap break-words [unicode-bidi:plaintext]" data-testid="answer">
        {said.slice(0, SHOWN)}
        {said.length > SHOWN ? `… (${said.length - SHOWN} characters more in its event)` : ""}
      </div>
      {run.stop && STOPS[run.stop] ? <div className="text-[13px] text-doubt">{STOPS[run.stop]}</div> : null}
      <UsageOf run={run} />
      {failed ? <Failed agent={id} code={run.error?.code} definition={definition} /> : null}
    </div>
  );
}

function hintOf(code: string | undefined, model = ""): string {
  if (code === "CONTEXT_WINDOW") return "Asking again would send as much: define another agent.";
  if (code?.endsWith("_KEY") && model.startsWith("scripted:"))
    return "The scripted model answers from the next ask on.";
  return "Retry goes on from the last saved turn. It holds up nothing: you can also ask again.";
}

/** What can be done about a failed run. */
function Failed({
  agent,
  code,
  definition,
}: {
  agent: string;
  code: string | undefined;
  definition: AgentState["definition"];
}) {
  const canAct = useCanAct();
  const retry = useAct(() => relight.agent(agent).retry());
  const scripted = useAct(async () => {
    if (definition) await relight.define(agent, { ...definition, model: "scripted:shop" });
  });
  return (
    <>
      <div className="mt-2 flex flex-wrap items-center gap-3">
        <Button tone="accent" disabled={!canAct || retry.busy} onClick={() => retry.act()}>
          Retry
        </Button>
        {code === "NO_KEY" || code === "BAD_KEY" ? (
          <Button disabled={!canAct || scripted.busy} onClick={() => scripted.act()}>
            Use the scripted model
          </Button>
        ) : null}
        <span className="text-[13px] text-soft">{hintOf(code, definition?.model)}</span>
      </div>
      <Refusal text={retry.refusal ?? scripted.refusal} />
    </>
  );
}

/** Milliseconds since then: up to now, ticking, or up to the point that is looked at. Nothing is announced. */
function useElapsed(since: string): number {
  const ticks = useCanAct();
  const { at } = useScrub();
  const last = useView().events.at(-1)?.time;
  const now = useNow(ticks);
  return Math.max(0, secondsBetween(since, at !== null && last ? last : now) * 1000);
}
