import type { Draft, Envelope } from "../log/event";

/** Why somebody changed something: text, for whoever reads the change. */
type Evidence = { evidence?: string };

/** What every change of a field carries: its own version, and the record's. */
type Change = Evidence & { field: string; version: number; recordVersion: number; by: string };

/** Every event of a record, by type (without the prefix `relight.`). */
export interface RecordEvents {
  "record.created": { class: string; id: string; recordVersion: number; by: string };
  /** Of a value or a task field; `fence` where its lease was shown. */
  "field.written": Change & { value: unknown; fence?: number };
  /** `key`: the sender's, so that a repeated request is one entry. */
  "field.appended": Change & { value: unknown; entryId: string; key?: string };
  "field.claimed": { field: string; by: string; fence: number; leaseSeconds: number; key?: string };
  /** A claim that displaced an owner whose lease had lapsed. */
  "field.taken_over": {
    field: string;
    by: string;
    fence: number;
    leaseSeconds: number;
    key?: string;
    tookOverFrom: string;
    tookOverFence: number;
  };
  /** Somebody wanted what `owner` holds; once for each of them and each fence of the owner. */
  "field.claim_refused": {
    field: string;
    by: string;
    owner: string;
    fence: number;
    remainingMs: number;
  };
  "field.released": { field: string; by: string; fence: number };
  /** `version`: the record's, when it was saved; `readVersion`: the one that its author had read, if that was older. */
  "checkpoint.saved": {
    role: string;
    document: Document;
    version: number;
    readVersion?: number;
    field: string;
    fence: number;
    by: string;
  };
}

/** A worker's own account of its work. Opaque, but for the sections that its class requires. */
export type Document = { [section: string]: unknown };

export type RecordEvent = {
  [T in keyof RecordEvents]: Envelope<`relight.${T}`, RecordEvents[T]>;
}[keyof RecordEvents];
export type RecordDraft = Draft<RecordEvent>;

/** A record's event, ready to be written. */
export function draft<T extends keyof RecordEvents>(
  subject: string,
  type: T,
  data: RecordEvents[T],
): RecordDraft {
  return { type: `relight.${type}`, subject, data } as RecordDraft;
}

/** `record:incidents/inc-111` */
export const subjectOf = (className: string, id: string): string => `record:${className}/${id}`;

/** Is this the subject of a record, or a lease on one? */
export const isRecord = (subject: string): boolean => subject.startsWith("record:");
