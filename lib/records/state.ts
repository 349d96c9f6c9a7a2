/**
 * A record, folded from its events: pure, so that the server and the browser have the same. Who holds a lease now is
 * not for the log to say, since renewals are not in it and nothing sweeps: here stands who claimed last.
 */
import type { Document, RecordEvent } from "./events";

/** One change of a field. */
export interface Write {
  value: unknown;
  /** The field's version after it, from 1. */
  version: number;
  /** The record's version after it. */
  recordVersion: number;
  by: string;
  evidence: string | null;
  at: string;
  cursor: number;
  /** Of an entry of an append field. */
  entryId?: string;
  key?: string;
}

export interface Checkpoint {
  role: string;
  document: Document;
  /** The record's version when it was saved: what was written later, it does not know; */
  recordVersion: number;
  /** nor what others wrote since its author had last read. */
  readVersion: number;
  savedBy: string;
  savedAt: string;
  field: string;
  fence: number;
}

type Changed = Extract<RecordEvent, { type: "relight.field.written" | "relight.field.appended" }>;

/** The last claim of a field. */
export interface Claim {
  owner: string;
  fence: number;
  leaseSeconds: number;
  at: string;
  released: boolean;
  tookOverFrom: string | null;
  /** The claimer's, so that a claim that is sent again is one claim. */
  key: string | null;
  /** Who was refused under this fence. */
  refused: { by: string; at: string; remainingMs: number }[];
}

export interface RecordState {
  subject: string;
  /** The cursor of its last event; 0: there is no such record. */
  position: number;
  class: string;
  id: string;
  /** Raised by each change of a field, by nothing else; 1 when it is created. */
  version: number;
  /** Changes of each field, the oldest first. Values that were replaced are not kept. */
  fields: Readonly<Record<string, readonly Write[]>>;
  claims: Readonly<Record<string, Claim>>;
  /** The latest of each role. */
  checkpoints: Readonly<Record<string, Checkpoint>>;
}

export const initial = (subject: string): RecordState => ({
  subject,
  position: 0,
  class: "",
  id: "",
  version: 0,
  fields: {},
  claims: {},
  checkpoints: {},
});

/** The record after an event. An event of a type that is not known changes its position only. */
export function apply(state: RecordState, event: RecordEvent): RecordState {
  return { ...change(state, event), position: event.sequence };
}

function change(state: RecordState, event: RecordEvent): RecordState {
  const { time: at } = event;
  switch (event.type) {
    case "relight.record.created": {
      const { class: name, id, recordVersion } = event.data;
      return { ...state, class: name, id, version: recordVersion };
    }
    case "relight.field.written": {
      const { field } = event.data;
      const before = state.fields[field] ?? [];
      const replaced = before.slice(-1).map((write) => ({ ...write, value: null }));
      return written(state, field, [...before.slice(0, -1), ...replaced, writeOf(event)]);
    }
    case "relight.field.appended": {
      const { field, entryId, key } = event.data;
      const entry = { ...writeOf(event), entryId, ...(key !== undefined && { key }) };
      return written(state, field, [...(state.fields[field] ?? []), entry]);
    }
    case "relight.field.claimed":
    case "relight.field.taken_over": {
      const { field, by: owner, fence, leaseSeconds, key = null } = event.data;
      const tookOverFrom = event.type === "relight.field.taken_over" ? event.data.tookOverFrom : null;
      const claim = { owner, fence, leaseSeconds, at, released: false, tookOverFrom, key, refused: [] };
      return { ...state, claims: { ...state.claims, [field]: claim } };
    }
    case "relight.field.claim_refused": {
      const { field, by, remainingMs } = event.data;
      const refusal = { by, at, remainingMs };
      return claimed(state, field, (claim) => ({ ...claim, refused: [...claim.refused, refusal] }));
    }
    case "relight.field.released":
      return claimed(state, event.data.field, (claim) => ({ ...claim, released: true }));
    case "relight.checkpoint.saved": {
      const { role, document, version, readVersion = version, field, fence, by: savedBy } = event.data;
      const saved = {
        role,
        document,
        recordVersion: version,
        readVersion,
        savedBy,
        savedAt: at,
        field,
        fence,
      };
      return { ...state, checkpoints: { ...state.checkpoints, [role]: saved } };
    }
    default:
      return state;
  }
}

function written(state: RecordState, field: string, writes: readonly Write[]): RecordState {
  const version = writes.at(-1)?.recordVersion ?? state.version;
  return { ...state, version, fields: { ...state.fields, [field]: writes } };
}

function claimed(state: RecordState, field: string, to: (claim: Claim) => Claim): RecordState {
  const claim = state.claims[field];
  return claim ? { ...state, claims: { ...state.claims, [field]: to(claim) } } : state;
}

function writeOf({ data, time: at, sequence: cursor }: Changed): Write {
  const { value, version, recordVersion, by, evidence = null } = data;
  return { value, version, recordVersion, by, evidence, at, cursor };
}

export interface ChangedField {
  field: string;
  /** As it is now. */
  version: number;
  /** Whose the last change was, and why. */
  by: string;
  evidence: string | null;
  /** How many there were: A, B and A again are two. */
  changes: number;
  /** All of them were the reader's own. */
  mine: boolean;
}

/**
 * What a checkpoint does not know, in the order of the last changes. Leases are no changes.
 * @param reader whose own writes are marked
 */
export function changedSince(
  state: RecordState,
  { recordVersion, readVersion, savedBy }: Pick<Checkpoint, "recordVersion" | "readVersion" | "savedBy">,
  reader: string,
): ChangedField[] {
  const isNews = (write: Write) =>
    write.recordVersion > recordVersion || (write.recordVersion > readVersion && write.by !== savedBy);
  return Object.entries(state.fields)
    .flatMap(([field, writes]) => {
      const since = writes.filter(isNews);
      const last = since.at(-1);
      if (!last) return [];
      const { version, by, evidence } = last;
      const mine = since.every((write) => write.by === reader);
      return [{ field, version, by, evidence, changes: since.length, mine, at: last.recordVersion }];
    })
    .sort((a, b) => a.at - b.at)
    .map(({ at, ...changed }) => changed);
}
