/** A record is what its events make of it: no store, no clock, no server. */
import { describe, expect, test } from "vitest";
import { draft, type RecordEvent, type RecordEvents } from "../../lib/records/events";
import { apply, changedSince, initial, type RecordState } from "../../lib/records/state";

const SUBJECT = "record:incidents/inc-111";
const ONE = "apikey:remediator/worker-1";
const TWO = "apikey:remediator/worker-2";
const DIAGNOSER = "apikey:diagnoser";

/** Builds the log of a record as a store would: cursors have gaps, since others write to the same log. */
class Log {
  readonly events: RecordEvent[] = [];

  add<T extends keyof RecordEvents>(type: T, data: RecordEvents[T]): this {
    const number = this.events.length;
    this.events.push({
      ...draft(SUBJECT, type, data),
      specversion: "1.0",
      id: `event-${number}`,
      source: "/relight/test",
      time: timeOf(number),
      datacontenttype: "application/json",
      sequence: 10 + number * 3,
      commit: 10 + number * 3,
    } as RecordEvent);
    return this;
  }

  /** Each state on the way is frozen: a fold that changes what it was given throws. */
  get state(): RecordState {
    return this.events.reduce(
      (state, event) => freeze(apply(state, freeze(event))),
      freeze(initial(SUBJECT)),
    );
  }
}

const timeOf = (number: number): string => new Date(Date.UTC(2030, 0, 1, 0, 0, number)).toISOString();

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}

const created = () =>
  new Log().add("record.created", { class: "incidents", id: "inc-111", recordVersion: 1, by: DIAGNOSER });
const write = (log: Log, field: string, value: unknown, version: number, by = DIAGNOSER) =>
  log.add("field.written", { field, value, version, recordVersion: log.state.version + 1, by });
const append = (log: Log, value: unknown, by = ONE) => {
  const version = (log.state.fields.actions ?? []).length + 1;
  const entryId = `entry-${version}`;
  return log.add("field.appended", {
    field: "actions",
    value,
    entryId,
    version,
    recordVersion: log.state.version + 1,
    by,
  });
};
const claim = (log: Log, fence = 1, by = ONE) =>
  log.add("field.claimed", { field: "remediation", by, fence, leaseSeconds: 3 });
const save = (log: Log, role: string, document: { [section: string]: unknown }, fence: number, by: string) =>
  log.add("checkpoint.saved", {
    role,
    document,
    version: log.state.version,
    field: "remediation",
    fence,
    by,
  });

describe("folding a record's events", () => {
  test("without any is a record that is not there", () => {
    expect(new Log().state).toMatchObject({ subject: SUBJECT, position: 0, version: 0, fields: {} });
  });

  test("keeps each change of a field with its author, but of a value only the last", () => {
    const log = write(write(created(), "summary", "first", 1), "summary", "second", 2, ONE);
    const { fields, version, position } = log.state;
    expect({ version, position }).toEqual({ version: 3, position: 16 });
    expect(fields.summary).toMatchObject([
      { value: null, version: 1, recordVersion: 2, by: DIAGNOSER, at: timeOf(1), cursor: 13 },
      { value: "second", version: 2, recordVersion: 3, by: ONE, at: timeOf(2), cursor: 16 },
    ]);
  });

  test("keeps every entry, with the key that it was sent with", () => {
    const log = append(created(), "cordon");
    log.add("field.appended", {
      field: "actions",
      value: "evict",
      entryId: "entry-2",
      key: "k-2",
      version: 2,
      recordVersion: 3,
      by: TWO,
      evidence: "the plan",
    });
    expect(log.state.fields.actions).toMatchObject([
      { value: "cordon", entryId: "entry-1", evidence: null },
      { value: "evict", entryId: "entry-2", key: "k-2", by: TWO, evidence: "the plan" },
    ]);
  });

  test("says who claimed last, whom that displaced, and who was refused since", () => {
    const log = claim(created());
    const refused = { field: "remediation", by: TWO, owner: ONE, fence: 1, remainingMs: 1000 };
    log.add("field.claim_refused", refused);
    expect(log.state.claims.remediation).toMatchObject({
      owner: ONE,
      fence: 1,
      leaseSeconds: 3,
      at: timeOf(1),
      released: false,
      tookOverFrom: null,
      refused: [{ by: TWO }],
    });
    log.add("field.taken_over", {
      field: "remediation",
      by: TWO,
      fence: 2,
      leaseSeconds: 5,
      tookOverFrom: ONE,
      tookOverFence: 1,
    });
    const next = { owner: TWO, fence: 2, leaseSeconds: 5, tookOverFrom: ONE, refused: [] };
    expect(log.state.claims.remediation).toMatchObject({ ...next, released: false });
    log.add("field.released", { field: "remediation", by: TWO, fence: 2 });
    expect(log.state.claims.remediation).toMatchObject({ ...next, released: true });
  });

  test("keeps the latest checkpoint of each role, with the version that it knew", () => {
    const log = write(claim(created()), "planned_action", "drain", 1);
    save(log, "remediator", { goal: "old" }, 1, ONE);
    append(log, "evict");
    save(log, "remediator", { goal: "new" }, 2, TWO);
    save(log, "inspector", { goal: "look" }, 3, "apikey:inspector");
    expect(log.state.checkpoints).toMatchObject({
      remediator: { document: { goal: "new" }, recordVersion: 3, savedBy: TWO, savedAt: timeOf(5), fence: 2 },
      inspector: { document: { goal: "look" }, recordVersion: 3, fence: 3 },
    });
  });

  test("raises the record's version by changes of fields, and by nothing else", () => {
    const log = claim(write(created(), "summary", "x", 1));
    const { version } = log.state;
    log.add("field.claim_refused", { field: "remediation", by: TWO, owner: ONE, fence: 1, remainingMs: 9 });
    save(log, "remediator", {}, 1, ONE);
    log.add("field.released", { field: "remediation", by: ONE, fence: 1 });
    expect(log.state.version).toBe(version);
    expect(append(log, "cordon").state.version).toBe(version + 1);
  });

  test("of a type that is not known moves its position, and nothing else", () => {
    const before = append(claim(created()), "cordon").state;
    const later = { ...created().events[0], type: "relight.field.blessed", sequence: 99 };
    expect(apply(before, later as unknown as RecordEvent)).toEqual({ ...before, position: 99 });
  });

  test("from any point on is the same as from the beginning", () => {
    const log = claim(write(append(created(), "cordon"), "summary", "x", 1));
    save(log, "remediator", { goal: "drain" }, 1, ONE);
    append(log, "evict");
    for (let at = 0; at < log.events.length; at++) {
      const half = log.events.slice(0, at).reduce(apply, initial(SUBJECT));
      expect(log.events.slice(at).reduce(apply, half)).toEqual(log.state);
    }
  });
});

describe("what changed since a version", () => {
  const at = (version: number, readVersion = version) => ({
    recordVersion: version,
    readVersion,
    savedBy: ONE,
  });
  const log = write(write(created(), "summary", "x", 1), "planned_action", "A", 1);
  append(write(log, "planned_action", "B", 2), "cordon");
  write(write(log, "summary", "y", 2, ONE), "planned_action", "A", 3, TWO);

  test("comes in the order of the last changes, each with how many there were", () => {
    const changed = changedSince(log.state, at(1), ONE);
    expect(changed).toEqual([
      { field: "actions", version: 1, by: ONE, evidence: null, changes: 1, mine: true },
      { field: "summary", version: 2, by: ONE, evidence: null, changes: 2, mine: false },
      { field: "planned_action", version: 3, by: TWO, evidence: null, changes: 3, mine: false },
    ]);
  });

  test("has what others wrote while its author worked, which it cannot have known", () => {
    const fields = changedSince(log.state, at(6, 1), TWO).map(({ field, changes }) => [field, changes]);
    expect(fields).toEqual([
      ["summary", 1],
      ["planned_action", 3],
    ]);
    expect(changedSince(log.state, at(6, 6), TWO).map(({ field }) => field)).toEqual(["planned_action"]);
  });

  test("leaves out what that version has", () => {
    const fields = (version: number) =>
      changedSince(log.state, at(version), ONE).map(({ field, changes }) => [field, changes]);
    expect(fields(5)).toEqual([
      ["summary", 1],
      ["planned_action", 1],
    ]);
    expect(fields(6)).toEqual([["planned_action", 1]]);
    expect(fields(log.state.version)).toEqual([]);
  });
});
