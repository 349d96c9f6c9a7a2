/** Drains a node of its pods, in batches: what the workers of a notebook do with an incident. */
import type { Agent } from "../records/run";
import type { FieldView } from "../records/view";

const PODS = 11;
const BATCH = 4;

export interface Cluster {
  cordon(): Promise<void>;
  evict(pods: number): Promise<void>;
}

export interface DrainOptions {
  cluster: Cluster;
  /** Waits as long as a batch takes; rejects if it is aborted. */
  step(signal: AbortSignal): Promise<void>;
  /** Takes over without a look at what changed. */
  ignoreChanges: boolean;
}

export function drain({ cluster, step, ignoreChanges }: DrainOptions): Agent {
  return {
    async decide({ record, fields, changedFields, client, signal }) {
      // Closed already, by whoever had it before.
      if (fields.summary?.value) return "done";
      // The plan that one works by may have been replaced while nobody was working.
      const plan = changedFields.find(({ field, mine }) => field === "planned_action" && !mine);
      if (plan && !ignoreChanges) {
        const { evicted } = done(fields);
        await client.write(record, "summary", `Stopped at ${evicted} of ${PODS}: ${plan.evidence}`);
        return "done";
      }
      const { cordoned, evicted } = done(fields);
      if (!cordoned) {
        await cluster.cordon();
        await client.append(record, "actions", { did: "cordon" });
      }
      const pods = Math.min(BATCH, PODS - evicted);
      if (pods === 0) {
        await client.write(record, "summary", `Drained: ${evicted} of ${PODS} pods evicted.`);
        return "done";
      }
      await step(signal);
      // Under the lease, and before the effect: whoever was displaced meanwhile is refused here, and evicts nothing.
      await client.write(record, "remediation", `evicting ${pods} pods, after ${evicted}`);
      await cluster.evict(pods);
      await client.append(record, "actions", { did: "evict", pods });
      return "again";
    },

    buildCheckpoint(fields) {
      const { cordoned, evicted } = done(fields);
      return {
        goal: "drain node-7",
        progress: `${cordoned ? "cordoned; " : ""}${evicted} of ${PODS} pods evicted`,
        decisions: `evict in batches of ${BATCH}`,
        open_questions: "none",
      };
    },
  };
}

/** What was done, by whomever, as the entries of `actions` tell. */
function done({ actions }: Record<string, FieldView>): { cordoned: boolean; evicted: number } {
  const entries = (actions?.value ?? []) as { value: { did: string; pods?: number } }[];
  return {
    cordoned: entries.some(({ value }) => value.did === "cordon"),
    evicted: entries.reduce((sum, { value }) => sum + (value.pods ?? 0), 0),
  };
}
