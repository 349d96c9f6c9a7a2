/** The world as people see it, made of what was done to it. Pure. */

export interface Charge {
  id: string;
  /** Dollars. */
  amount: number;
  order: string | null;
  at: string;
  idempotencyKey?: string;
}

/** Something that was done, other than a charge. */
export type Act = { at: string } & (
  | { did: "run"; tool: string }
  | { did: "cordon" }
  | { did: "evict"; pods: number }
);

export interface WorldView {
  toolRuns: Record<string, number>;
  bank: Charge[];
  cluster: { node: string; cordoned: boolean; pods: number; evicted: number };
  /** What the counts are made of, in order. */
  acts: Act[];
}

const NODE = "node-7";
const PODS = 11;

export function worldOf(bank: Charge[], acts: Act[]): WorldView {
  const toolRuns: Record<string, number> = {};
  let [cordoned, evicted] = [false, 0];
  for (const act of acts) {
    if (act.did === "run") toolRuns[act.tool] = (toolRuns[act.tool] ?? 0) + 1;
    else if (act.did === "evict") evicted += act.pods;
    else cordoned = true;
  }
  return { toolRuns, bank, cluster: { node: NODE, cordoned, pods: PODS - evicted, evicted }, acts };
}

/** The world as it was at a time. */
export function worldAt({ bank, acts }: WorldView, time: string): WorldView {
  const then = ({ at }: { at: string }) => at <= time;
  return worldOf(bank.filter(then), acts.filter(then));
}
