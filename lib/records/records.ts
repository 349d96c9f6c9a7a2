import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { crashPoint } from "../crash-point";
import { isRelightError, RelightError } from "../errors";
import { claim, type Displaced, isLive, type Lease, prove, release, renew } from "../leases";
import type { LeaseStep, Store } from "../store";
import { parse } from "../validate";
import type { Book } from "./book";
import type { Mode, RecordClass } from "./classes";
import { draft, isRecord, type RecordDraft, type RecordEvent, subjectOf } from "./events";
import type { Caller } from "./identity";
import * as input from "./input";
import { changedSince, type RecordState } from "./state";
import { type RecordView, type Resumption, viewOf } from "./view";

export interface Claimed {
  owner: string;
  fence: number;
  remainingMs: number;
  /** Whom the claim displaced. */
  tookOverFrom?: string;
  tookOverFence?: number;
  cursor: number;
}

interface At {
  className: string;
  id: string;
}

const leaseOf = (subject: string, field: string): string => `${subject}#${field}`;

/** The leases of records' fields that nobody gave up: of live owners, and of those who let theirs lapse. */
export const recordLeases = async (store: Store): Promise<Lease[]> =>
  (await store.openLeases()).filter(({ resource }) => isRecord(resource));

/** What a caller can do with records. */
export class Records {
  readonly #book: Book;
  readonly #caller: Caller;

  constructor(book: Book, caller: Caller) {
    this.#book = book;
    this.#caller = caller;
  }

  async list(className: string): Promise<{ id: string; version: number }[]> {
    await this.#readable(className);
    const ids = await this.#book.idsOf(className);
    return Promise.all(
      ids.map(async (id) => ({ id, version: (await this.#book.state(subjectOf(className, id))).version })),
    );
  }

  /** @throws CONFLICT if it exists */
  async create({ className, id }: At, raw: unknown): Promise<RecordView & { cursor: number }> {
    const { fields = {} } = parse(input.create, raw, "record");
    parse(input.id, id, "record id");
    const of = await this.#readable(className);
    const by = this.#writer();
    for (const [name, value] of Object.entries(fields)) {
      const field = this.#writable(of, className, name);
      if (field.mode !== "value") throw wrongMode(name, field.mode, "value");
      input.keepable(name, value);
    }
    const subject = subjectOf(className, id);
    const { cursor } = await this.#book.change(subject, ({ position }) => {
      if (position > 0) throw new RelightError("CONFLICT", `${className}/${id} exists already.`);
      const writes = Object.entries(fields).map(([field, value], index) =>
        draft(subject, "field.written", { field, value, version: 1, recordVersion: 2 + index, by }),
      );
      const created = draft(subject, "record.created", { class: className, id, recordVersion: 1, by });
      return { events: [created, ...writes] };
    });
    return { ...(await this.read({ className, id })), cursor };
  }

  async read(at: At): Promise<RecordView> {
    const of = await this.#readable(at.className);
    return this.#view(of, await this.#existing(at));
  }

  /** Writes a value or task field; the latter under its live lease. @throws CONFLICT if `ifVersion` is not its version */
  async write(at: At, field: string, raw: unknown): Promise<{ version: number; cursor: number }> {
    const { value, evidence, ifVersion, fence } = parse(input.write, raw, "write");
    const subject = subjectOf(at.className, at.id);
    const { mode } = await this.#target(at, field, ["value", "task"]);
    const by = this.#writer();
    input.keepable("value", value);
    if (mode === "task" && fence === undefined) {
      throw new RelightError(
        "INVALID",
        `fence: expected that of your lease on ${field}, which is a task; came none.`,
      );
    }
    if (mode === "value" && fence !== undefined) {
      throw new RelightError("INVALID", `fence: expected none, since ${field} has no lease; came ${fence}.`);
    }
    let version = 0;
    const { cursor } = await this.#book.change(subject, (state) => {
      const before = state.fields[field]?.at(-1)?.version ?? 0;
      if (ifVersion !== undefined && ifVersion !== before) {
        throw new RelightError("CONFLICT", `${field}: expected version ${ifVersion}; it is ${before}.`, {
          version: before,
        });
      }
      version = before + 1;
      const written = draft(subject, "field.written", {
        field,
        value,
        version,
        recordVersion: state.version + 1,
        by,
        ...(evidence !== undefined && { evidence }),
        ...(fence !== undefined && { fence }),
      });
      return {
        events: [written],
        leases: fence === undefined ? [] : [this.#holding(subject, field, fence, prove)],
      };
    });
    return { version, cursor };
  }

  /** Adds an entry. With the key of an earlier one of the same caller it is that entry, and nothing is added. */
  async append(
    at: At,
    field: string,
    raw: unknown,
  ): Promise<{ entryId: string; version: number; cursor: number }> {
    const { entry, evidence, key } = parse(input.append, raw, "append");
    const subject = subjectOf(at.className, at.id);
    await this.#target(at, field, ["append"]);
    const by = this.#writer();
    input.keepable("entry", entry);
    let answer = { entryId: `entry_${randomUUID().slice(0, 12)}`, version: 0 };
    const { cursor } = await this.#book.change(subject, (state) => {
      const entries = state.fields[field] ?? [];
      const earlier =
        key === undefined ? undefined : entries.find((each) => each.key === key && each.by === by);
      if (earlier) {
        if (JSON.stringify(earlier.value) !== JSON.stringify(entry)) {
          throw new RelightError(
            "CONFLICT",
            `key: expected a new one; ${key} is that of another entry of yours.`,
          );
        }
        answer = { entryId: earlier.entryId ?? "", version: earlier.version };
        return { cursor: earlier.cursor };
      }
      answer = { ...answer, version: entries.length + 1 };
      const appended = draft(subject, "field.appended", {
        ...answer,
        field,
        value: entry,
        recordVersion: state.version + 1,
        by,
        ...(evidence !== undefined && { evidence }),
        ...(key !== undefined && { key }),
      });
      return { events: [appended] };
    });
    return { ...answer, cursor };
  }

  /**
   * Claims a task field; with the fence of one's own live lease, renews it.
   * @throws HELD by a live owner (details: `owner`, `fence`, `remainingMs`)
   */
  async claim(at: At, field: string, raw: unknown): Promise<Claimed> {
    const { leaseSeconds, fence, key } = parse(input.claim, raw, "claim");
    const subject = subjectOf(at.className, at.id);
    await this.#target(at, field, ["task"]);
    const by = this.#writer();
    const resource = leaseOf(subject, field);
    const request = { resource, holder: by, ttlMs: Math.round(leaseSeconds * 1000), fence };
    const came: { refusal?: RelightError; claim?: Won } = {};
    await this.#refuseAgain(subject, field, by, { fence, key });
    crashPoint("before-field-claimed");
    const { cursor } = await this.#book.change(subject, (state) => ({
      leases: [
        {
          resource,
          decide: (before, now) => {
            Object.assign(came, { refusal: undefined, claim: undefined });
            // The answer to this very claim was lost, perhaps: it is sent again, and is one claim.
            const again = key !== undefined && isSameClaim(state, field, before, by, key);
            try {
              const asked = again ? { ...request, fence: before?.fence } : request;
              came.claim = { ...claim(before, asked, now), before, now };
              return came.claim.lease;
            } catch (error) {
              if (!isRelightError(error, "HELD") || !before) throw error;
              // Thrown once the refusal is in the log; until then it must not undo the commit.
              came.refusal = held(field, before, now);
              return before;
            }
          },
        },
      ],
      events: () => {
        if (came.refusal) return refused(state, field, by, came.refusal);
        return came.claim ? won(subject, { field, leaseSeconds, key }, came.claim) : [];
      },
    }));
    if (came.refusal) throw came.refusal;
    const { lease, displaced, now = 0 } = came.claim ?? {};
    return {
      owner: by,
      fence: lease?.fence ?? 0,
      remainingMs: (lease?.expiresAt ?? now) - now,
      ...(displaced && { tookOverFrom: displaced.holder, tookOverFence: displaced.fence }),
      cursor,
    };
  }

  /** Whoever asks again and again for what it was told is held is told so by a look, without a write. */
  async #refuseAgain(
    subject: string,
    field: string,
    by: string,
    { fence, key }: Pick<z.infer<typeof input.claim>, "fence" | "key">,
  ): Promise<void> {
    const { store } = this.#book;
    const lease = await store.lease(leaseOf(subject, field));
    const now = store.now();
    if (!lease || !isLive(lease, now) || (lease.holder === by && (fence !== undefined || key !== undefined)))
      return;
    const claim = (await this.#book.state(subject)).claims[field];
    const told = claim?.fence === lease.fence && claim.refused.some((refusal) => refusal.by === by);
    if (told) throw held(field, lease, now);
  }

  /** Renews for as long as was granted. @throws LAPSED, SUPERSEDED */
  async renew(at: At, field: string, raw: unknown): Promise<{ fence: number; remainingMs: number }> {
    const { fence } = parse(input.fenced, raw, "renewal");
    const subject = subjectOf(at.className, at.id);
    await this.#target(at, field, ["task"]);
    const { resource, decide } = this.#holding(subject, field, fence, renew);
    let remainingMs = 0;
    const renewing = (lease: Lease | null, now: number) => {
      const renewed = decide(lease, now);
      remainingMs = (renewed.expiresAt ?? now) - now;
      return renewed;
    };
    crashPoint("before-lease-renewed");
    // Renewals are not in the log: nothing was decided.
    await this.#book.change(subject, () => ({ events: [], leases: [{ resource, decide: renewing }] }));
    crashPoint("after-lease-renewed");
    return { fence, remainingMs };
  }

  /** Gives a lease up: the next claim is plain, no takeover. @throws LAPSED, SUPERSEDED */
  async release(
    at: At,
    field: string,
    raw: unknown,
  ): Promise<{ fence: number; remainingMs: 0; cursor: number }> {
    const { fence } = parse(input.fenced, raw, "release");
    const subject = subjectOf(at.className, at.id);
    await this.#target(at, field, ["task"]);
    const by = this.#writer();
    const { cursor } = await this.#book.change(subject, () => ({
      events: [draft(subject, "field.released", { field, by, fence })],
      leases: [this.#holding(subject, field, fence, release)],
    }));
    return { fence, remainingMs: 0, cursor };
  }

  /**
   * Saves the caller's own account of its work, under a live lease. It pins the record's version in the transaction
   * that saves it.
   * @throws INVALID_CHECKPOINT with all the sections that are missing: the earlier one stays
   */
  async saveCheckpoint(at: At, raw: unknown): Promise<{ recordVersion: number; cursor: number }> {
    const { document: given, field, fence, readVersion } = parse(input.checkpoint, raw, "checkpoint");
    const subject = subjectOf(at.className, at.id);
    const document = input.documentOf(given);
    input.keepable("document", document);
    const of = await this.#readable(at.className);
    const by = this.#writer();
    const role = this.#caller.role ?? "";
    if (!of.checkpoint?.roles.includes(role)) {
      throw forbidden(this.#caller, `save a checkpoint of ${at.className}`);
    }
    await this.#target(at, field, ["task"]);
    const missing = of.checkpoint.sections.filter((section) => (document[section] ?? null) === null);
    if (missing.length > 0) {
      throw new RelightError(
        "INVALID_CHECKPOINT",
        `document: expected the sections ${missing.join(", ")} too.`,
        {
          missing,
        },
      );
    }
    let recordVersion = 0;
    const { cursor } = await this.#book.change(subject, ({ version }) => {
      recordVersion = version;
      const read = readVersion !== undefined && readVersion < version ? { readVersion } : {};
      const saved = { role, document, version, ...read, field, fence, by };
      return {
        events: [draft(subject, "checkpoint.saved", saved)],
        leases: [this.#holding(subject, field, fence, prove)],
      };
    });
    return { recordVersion, cursor };
  }

  /**
   * The latest checkpoint of a role, and what changed since it, from one state of the record.
   * @param asked the role; the caller's own unless given, and the owner's choice
   */
  async loadCheckpoint(at: At, asked?: string | null): Promise<Resumption> {
    const of = await this.#readable(at.className);
    const { role: own, principal } = this.#caller;
    const role = own ?? asked ?? of.checkpoint?.roles[0] ?? "owner";
    const state = await this.#existing(at);
    const record = await this.#view(of, state);
    const saved = Object.hasOwn(state.checkpoints, role) ? state.checkpoints[role] : undefined;
    if (!saved) {
      const none = { document: null, recordVersion: null, savedBy: null, savedAt: null, fence: null };
      return { role, ...none, changedFields: [], record };
    }
    const { document, recordVersion, savedBy, savedAt, fence } = saved;
    const changedFields = changedSince(state, saved, principal);
    return { role, document, recordVersion, savedBy, savedAt, fence, changedFields, record };
  }

  /** What happened to a record, from its part of the log. */
  async history(
    at: At,
    { after, limit }: { after?: number; limit: number },
  ): Promise<{ rows: RecordEvent[]; cursor: number; more: boolean }> {
    await this.#readable(at.className);
    await this.#existing(at);
    const subject = subjectOf(at.className, at.id);
    const { events, cursor, more } = await this.#book.store.read<RecordEvent>({ subject, after, limit });
    return { rows: events, cursor, more };
  }

  /** Whoever may write a field of a class may read its records, and so may the playground's owner. */
  async #readable(className: string): Promise<RecordClass> {
    const of = await this.#book.class(className);
    const { role } = this.#caller;
    if (role !== null && !Object.values(of.fields).some(({ roles }) => roles.includes(role))) {
      throw forbidden(this.#caller, `read ${className}`);
    }
    return of;
  }

  /** @throws NOT_FOUND */
  async #existing({ className, id }: At): Promise<RecordState> {
    const state = await this.#book.state(subjectOf(className, id));
    if (state.position === 0) throw new RelightError("NOT_FOUND", `There is no record ${className}/${id}.`);
    return state;
  }

  /** A field that is about to be changed, of a record that is there. */
  async #target(at: At, name: string, modes: readonly Mode[]): Promise<RecordClass["fields"][string]> {
    const field = this.#writable(await this.#readable(at.className), at.className, name);
    if (!modes.includes(field.mode)) throw wrongMode(name, field.mode, modes.join(" or "));
    await this.#existing(at);
    return field;
  }

  #writable(of: RecordClass, className: string, name: string): RecordClass["fields"][string] {
    const field = Object.hasOwn(of.fields, name) ? of.fields[name] : undefined;
    if (!field) {
      const there = Object.keys(of.fields).join(", ");
      throw new RelightError("NOT_FOUND", `${className} has no field ${name}; it has: ${there}.`);
    }
    this.#writer();
    if (!field.roles.includes(this.#caller.role ?? ""))
      throw forbidden(this.#caller, `write ${name} of ${className}`);
    return field;
  }

  /** @throws UNAUTHENTICATED without a key */
  #writer(): string {
    const { role, principal } = this.#caller;
    if (role !== null) return principal;
    throw new RelightError(
      "UNAUTHENTICATED",
      "Records are written with a key: expected Authorization: Bearer and one.",
    );
  }

  /**
   * A step of a commit that fails unless the caller holds the lease, alive. A fence is a small number, easily guessed: it
   * counts only for the holder that it was given to.
   * @param then what to do with the lease: `prove` it, `renew` it or `release` it
   */
  #holding(subject: string, field: string, fence: number, then: typeof prove): LeaseStep {
    const { principal } = this.#caller;
    const resource = leaseOf(subject, field);
    const decide = (lease: Lease | null, now: number) => {
      if (!lease || (lease.holder === principal && lease.fence === fence))
        return then(lease, resource, fence, now);
      throw new RelightError(
        "SUPERSEDED",
        `${resource} is not yours with fence ${fence}: its owner is ${lease.holder} with fence ${lease.fence}.`,
        { owner: lease.holder, fence: lease.fence },
      );
    };
    return { resource, decide };
  }

  async #view(of: RecordClass, state: RecordState): Promise<RecordView> {
    const { store } = this.#book;
    const tasks = Object.keys(of.fields).filter((name) => of.fields[name]?.mode === "task");
    const leases = await Promise.all(tasks.map((name) => store.lease(leaseOf(state.subject, name))));
    const found = new Map(tasks.map((name, index) => [name, leases[index] ?? null]));
    return viewOf(of, state, found, store.now());
  }
}

/** Is the live lease the one that this claim, with this key, was given before? */
function isSameClaim(
  state: RecordState,
  field: string,
  lease: Lease | null,
  by: string,
  key: string,
): boolean {
  const claim = state.claims[field];
  return lease?.holder === by && claim?.owner === by && claim.fence === lease.fence && claim.key === key;
}

/** A claim that succeeded, with the lease as it was before. */
interface Won {
  lease: Lease;
  displaced: Displaced | null;
  before: Lease | null;
  now: number;
}

/** What the log is told of it; nothing of a renewal. */
function won(
  subject: string,
  { key, ...asked }: { field: string; leaseSeconds: number; key: string | undefined },
  { lease, displaced, before }: Won,
): RecordDraft[] {
  const { fence, holder: by } = lease;
  if (fence === before?.fence) return [];
  const about = { ...asked, by, fence, ...(key !== undefined && { key }) };
  if (!displaced) return [draft(subject, "field.claimed", about)];
  const from = { tookOverFrom: displaced.holder, tookOverFence: displaced.fence };
  return [draft(subject, "field.taken_over", { ...about, ...from })];
}

const held = (field: string, { holder: owner, fence, expiresAt }: Lease, now: number): RelightError =>
  new RelightError("HELD", `${field} is held by ${owner}.`, {
    owner,
    fence,
    remainingMs: (expiresAt ?? now) - now,
  });

/** Told once for each of those who want it and each fence: whoever asks again and again floods nothing. */
function refused(state: RecordState, field: string, by: string, { details }: RelightError): RecordDraft[] {
  if (state.claims[field]?.refused.some((refusal) => refusal.by === by)) return [];
  const { owner, fence, remainingMs } = details as { owner: string; fence: number; remainingMs: number };
  return [draft(state.subject, "field.claim_refused", { field, by, owner, fence, remainingMs })];
}

const wrongMode = (field: string, mode: Mode, expected: string): RelightError =>
  new RelightError("INVALID", `${field}: expected a field of mode ${expected}; it is ${mode}.`);

const forbidden = ({ principal }: Caller, what: string): RelightError =>
  new RelightError("FORBIDDEN", `${principal} may not ${what}.`);
