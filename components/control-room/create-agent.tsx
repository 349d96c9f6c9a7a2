import { Button } from "../ui/button";
import { Panel } from "../ui/panel";
import { Refusal } from "../ui/refusal";
import { relight, useAct } from "./live";

const AGENT = "acme/@maria/shop";

/** The picture of an empty playground, with the next thing to do. */
export function CreateAgent() {
  const create = useAct(() =>
    relight.define(AGENT, {
      model: "scripted:shop",
      instructions: "You run Maria's shop. Use your tools. Be brief.",
      tools: ["shop"],
    }),
  );
  return (
    <Panel title="Nothing is at work yet">
      <p className="mb-3">
        Run the notebook's first cells. Or begin here: Maria's shop has two tools,{" "}
        <code className="font-mono">check_stock</code> and <code className="font-mono">charge_card</code>. Its
        model is a scripted stand-in, which needs no key.
      </p>
      <Button tone="accent" disabled={create.busy} onClick={() => create.act()}>
        Create {AGENT}
      </Button>
      <Refusal text={create.refusal} />
    </Panel>
  );
}
