import { Panel } from "../ui/panel";
import { useView } from "./view";
import { clock } from "./words";

/** What really became of the node, whatever the record says of it. */
export function Cluster() {
  const { world } = useView();
  if (!world?.acts.some(({ did }) => did !== "run")) return null;
  const { node, cordoned, pods, evicted } = world.cluster;
  return (
    <Panel title={`The cluster says of ${node}`}>
      <div data-testid="evicted">
        {evicted} evicted, {pods} left{cordoned ? ", cordoned" : ""}
      </div>
      <ul className="font-mono text-[13px] text-soft">
        {world.acts.map((act) =>
          act.did === "evict" ? (
            <li key={act.at}>
              {act.pods} evicted · {clock(act.at)}
            </li>
          ) : null,
        )}
      </ul>
    </Panel>
  );
}
