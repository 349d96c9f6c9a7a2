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
      // Under the lease, and of the version that was read: whoever was displaced meanwhile closes nothing.
      const close = async (summary: string) => {
        await client.write(record, "remediation", "closing");
        await client.write(record, "summary", summary, { ifVersion: fields.summary?.version ?? 0 });
        return "done" as const;
      };
      // Closed already, by whoever had it before.
      if (fields.summary?.value) return "done";
      // The plan that one works by may have been replaced while nobody was working.
      const plan = changedFields.find(({ field, mine }) => field === "planned_action" && !mine);
      if (plan && !ignoreChanges) {
        return close(`Stopped at ${done(fields).evicted} of ${PODS}: ${plan.evidence}`);
      }
      const { cordoned, evicted } = done(fields);
      if (!cordoned) {
        await client.write(record, "remediation", "cordoning");
        await cluster.cordon();
        await client.append(record, "actions", { did: "cordon" });
      }
      const pods = Math.min(BATCH, PODS - evicted);
      if (pods === 0) return close(`Drained: ${evicted} of ${PODS} pods evicted.`);
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
