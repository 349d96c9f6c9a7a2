import { type AgentState, isOpen } from "@/lib/agents/state";
import { useLive } from "../control-room/live";
import { Diagram } from "./diagram";

/** The nodes that a diagram must have to be one of recovery. */
const NODES = ["model", "saved", "tool", "back", "doubt", "told"] as const;
type Node = (typeof NODES)[number];

const WORDS: Record<Node, string> = {
  model: "the model is asked",
  saved: "a turn was saved",
  tool: "a tool runs",
  back: "its process is gone, and it comes back from the saved turn",
  doubt: "a call is in doubt, and waits for a person",
  told: "the model reads the person's reason",
};

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

/** The recovery diagram with the node lit where the agent is now; the same in words beneath. */
export function RecoveryDiagram({ source }: { source: string }) {
  const agents = Object.values(useLive().agents);
  const working = agents.map((agent) => ({ agent, node: nodeOf(agent) })).find(({ node }) => node !== null);
  return (
    <>
      <Diagram source={source} lit={working?.node ?? null} />
      <p className="min-h-6 text-center text-[13px] text-soft">
        {working?.node ? `Now ${working.agent.id}: ${WORDS[working.node]}.` : "No agent is at work now."}
      </p>
    </>
  );
}
