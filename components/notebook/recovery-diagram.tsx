import { type AgentState, isOpen } from "@/lib/agents/state";
import { useLive } from "../control-room/live";
import { Diagram } from "./diagram";

/** The nodes that a diagram must have to be one of recovery, in words. */
const STEPS = {
  model: "The model is asked.",
  saved: "The turn is saved: what the model said, and the calls that it asks for.",
  tool: "A tool runs.",
  back: "After a crash, a new process comes back from the saved turn.",
  safe: "Was the call that it finds started marked idempotent? Then its tool runs again.",
  doubt: "If not, it is in doubt, and waits for a person.",
  told: "It went through: the model reads the person's reason. Charge again: the tool runs once more.",
};
type Node = keyof typeof STEPS;
const NODES = Object.keys(STEPS) as Node[];

export const isOfRecovery = (source: string): boolean =>
  NODES.every((node) => new RegExp(`\\b${node}[[{]`).test(source));

/** Where an agent is in the diagram; null when it has nothing to do. */
function nodeOf({ run, process }: AgentState): Node | null {
  if (!isOpen(run)) return null;
  const has = (status: string) => run.calls.some((call) => call.status === status);
  if (has("started")) return process ? "tool" : "back";
  if (has("saved") || has("approved")) return "saved";
  if (has("in_doubt")) return "doubt";
  return has("denied") ? "told" : "model";
}

/** The recovery diagram with the node lit where the agent is now; beside it the same steps as a list. */
export function RecoveryDiagram({ source }: { source: string }) {
  const agents = Object.values(useLive().agents);
  const working = agents.map((agent) => ({ agent, node: nodeOf(agent) })).find(({ node }) => node !== null);
  return (
    <div className="my-6 grid items-start gap-x-6 sm:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Diagram source={source} lit={working?.node ?? null} />
      <ol className="my-6 grid gap-1 text-[14px]">
        {NODES.map((node) => {
          const here = working?.node === node;
          return (
            <li
              key={node}
              aria-current={here ? "step" : undefined}
              className={`border-l-[3px] py-0.5 pl-2.5 ${here ? "border-accent bg-accent-ground" : "border-line text-soft"}`}
            >
              {STEPS[node]}
              {here ? <span className="block text-[13px]">Here is {working.agent.id} now.</span> : null}
            </li>
          );
        })}
      </ol>
    </div>
  );
}
