import { type AgentState, allCalls, allRuns, type Call, type Interrupt } from "@/lib/agents/state";
import { Panel } from "../ui/panel";
import { useView } from "./view";
import { clock, describeInput } from "./words";

/** What the outside world did, beside what the log lets anybody know of it. */
export function Bank({ agents }: { agents: AgentState[] }) {
  const { world } = useView();
  const bank = world?.bank ?? [];
  const runs = Object.entries(world?.toolRuns ?? {});
  const known = agents.flatMap((agent) => whatIsKnown(allRuns(agent).flatMap(allCalls), agent.interrupts));
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Panel title="The bank says">
        <div data-testid="charges">{bank.length === 1 ? "1 charge" : `${bank.length} charges`}</div>
        <ul className="font-mono text-[13px]">
          {bank.map(({ id, amount, order, at }) => (
            <li key={id}>
              ${amount} {order ? `· order ${order} ` : ""}· {clock(at)}
            </li>
          ))}
        </ul>
        <div className="mt-2 text-[13px] text-soft" data-testid="tool-runs">
          {runs.length === 0 ? "No tool ran yet." : runs.map(([tool, n]) => `${tool} ran ${n}×`).join(", ")}
        </div>
      </Panel>
      <Panel title="The agent knows">
        {known.length === 0 ? <div className="text-soft">nothing of a charge</div> : null}
        <ul>
          {known.map(({ id, about, outcome }) => (
            <li key={id}>
              {about}
              <div className="text-[13px] text-soft">{outcome}</div>
            </li>
          ))}
        </ul>
      </Panel>
    </div>
  );
}

/** Every charge so far, and how far each is known. */
function whatIsKnown(calls: Call[], interrupts: Interrupt[]) {
  return calls
    .filter(({ idempotent }) => !idempotent)
    .map((call) => ({
      id: call.id,
      about: `${call.tool} ${describeInput(call.input)}`,
      outcome: outcomeOf(
        call,
        interrupts.findLast((interrupt) => interrupt.call.id === call.id),
      ),
    }));
}

function outcomeOf({ status, attempts, result }: Call, interrupt?: Interrupt): string {
  switch (status) {
    case "saved":
      return "saved, not started";
    case "started":
      return `started${attempts.length > 1 ? ` ${attempts.length} times` : ""}, outcome unknown`;
    case "in_doubt":
      return "started, outcome unknown; waits for a person";
    case "approved":
      return `approved by ${interrupt?.decidedBy}; will be charged again`;
    case "denied":
      return `told by ${interrupt?.decidedBy}: “${result?.content}”`;
    case "completed":
    case "failed":
      return `${status}: ${result?.content}`;
  }
}
