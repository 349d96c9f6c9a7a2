import { type AgentState, isOpen, isSettled } from "@/lib/agents/state";
import type { Live } from "@/lib/client/live";
import { useNow } from "../ui/use-now";
import { useLive } from "./live";
import { useCanAct } from "./view";

/** So much of a turn is shown while it is spoken: the end of it. */
const SHOWN = 4000;

/** What the model says before its turn is saved. None of it counts yet: after a crash it is asked again. */
export function SpeechOf({ agent }: { agent: AgentState }) {
  const live = useLive();
  const canAct = useCanAct();
  const { run, process } = agent;
  const waiting = live.speeches[agent.id]?.waiting ?? null;
  const now = useNow(canAct && waiting !== null);
  const asking = isOpen(run) && process !== null && run.calls.every(isSettled);
  if (!canAct || !asking) return null;
  const speech = live.speeches[agent.id];
  const current = speech?.run === run.id && speech.turn === run.turn + 1 ? speech : null;
  const again = askedBefore(live, agent.id);
  return (
    <div className="mb-2 border-l-2 border-line pl-3">
      <div className="text-[13px] text-soft">
        {current?.waiting
          ? `${current.waiting.why.replace(/ in [\d.]+ s$/, "")} in ${Math.max(0, Math.ceil((current.waiting.until - now) / 1000))} s.`
          : current?.text
            ? `Turn ${run.turn + 1}, as it is spoken; not saved yet.`
            : `The model is asked for turn ${run.turn + 1}.`}
        {again
          ? " It was asked before, but its process died while it spoke, and nothing of that was saved."
          : ""}
      </div>
      {current?.text ? (
        <div className="whitespace-pre-wrap break-words [unicode-bidi:plaintext]" data-testid="speech">
          {current.text.length > SHOWN ? `…${current.text.slice(-SHOWN)}` : current.text}
        </div>
      ) : null}
    </div>
  );
}

/** Did an earlier process of this agent ask for the very turn that is asked for now? */
function askedBefore({ events }: Live, agent: string): boolean {
  for (let index = events.length - 1; index >= 0; index--) {
    const event = events[index];
    if (event?.subject !== agent) continue;
    if (event.type === "relight.agent.crashed") return true;
    // What comes before a turn is asked for.
    if (!["relight.agent.started", "relight.ask.received", "relight.agent.defined"].includes(event.type))
      return false;
  }
  return false;
}
