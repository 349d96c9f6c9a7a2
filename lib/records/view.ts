/** Records as callers see them. Pure. */
import { isLive, type Lease } from "../leases/lease";
import type { Mode, RecordClass } from "./classes";
import type { ChangedField, Checkpoint, RecordState, Write } from "./state";

interface LeaseView {
  owner: string;
  fence: number;
  /** Milliseconds; 0 once it has lapsed. */
  remainingMs: number;
  /** Lapsed, it stays its owner's until somebody claims: nothing sweeps. */
  state: "held" | "lapsed";
}

/** An entry of an append field. */
interface Entry {
  entryId: string;
  value: unknown;
  version: number;
  by: string;
  evidence: string | null;
  at: string;
}

export interface FieldView {
  mode: Mode;
  /** What was written last; the entries of an append field; null before the first. */
  value: unknown;
  /** 0 before the first write. */
  version: number;
  by: string | null;
  evidence: string | null;
  lease?: LeaseView;
}

export interface RecordView {
  class: string;
  id: string;
  version: number;
  fields: Record<string, FieldView>;
}

/** The latest checkpoint of a role, and what changed since; all of it null, and nothing changed, where there is none. */
export interface Resumption {
  role: string;
  document: Checkpoint["document"] | null;
  recordVersion: number | null;
  savedBy: string | null;
  savedAt: string | null;
  fence: number | null;
  changedFields: ChangedField[];
  record: RecordView;
}

/** @param leases of the task fields, by name */
export function viewOf(
  of: RecordClass,
  state: RecordState,
  leases: ReadonlyMap<string, Lease | null>,
  now: number,
): RecordView {
  const fields = Object.entries(of.fields).map(([name, { mode }]): [string, FieldView] => {
    const writes = state.fields[name] ?? [];
    const last = writes.at(-1);
    const lease = leases.get(name);
    return [
      name,
      {
        mode,
        value: mode === "append" ? writes.map(entryOf) : (last?.value ?? null),
        version: last?.version ?? 0,
        by: last?.by ?? null,
        evidence: last?.evidence ?? null,
        ...(lease?.status === "open" && { lease: leaseView(lease, now) }),
      },
    ];
  });
  return { class: state.class, id: state.id, version: state.version, fields: Object.fromEntries(fields) };
}

function leaseView(lease: Lease, now: number): LeaseView {
  const { holder: owner, fence, expiresAt } = lease;
  const remainingMs = Math.max(0, (expiresAt ?? now) - now);
  return { owner, fence, remainingMs, state: isLive(lease, now) ? "held" : "lapsed" };
}

const entryOf = ({ entryId = "", value, version, by, evidence, at }: Write): Entry => ({
  entryId,
  value,
  version,
  by,
  evidence,
  at,
});

export type WorkerState = "running" | "paused" | "stopped" | "crashed";

/** A worker's process, as its server knows it. */
export interface Worker {
  name: string;
  pid: number;
  state: WorkerState;
  /** The last lines that it printed. */
  output: string;
}
