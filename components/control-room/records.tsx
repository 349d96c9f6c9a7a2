import { type Checkpoint, type Claim, changedSince, type RecordState } from "@/lib/records/state";
import { Panel } from "../ui/panel";
import { useNow } from "../ui/use-now";
import { useLive } from "./live";
import { useCanAct, useView } from "./view";
import { clock } from "./words";

/** The shared records: who holds what, what it says, and what whoever takes over wakes up to. */
export function Records() {
  const { records } = useView();
  return Object.values(records).map((record) => <RecordCard key={record.subject} record={record} />);
}

function RecordCard({ record }: { record: RecordState }) {
  const { class: name, id, version, claims, fields, checkpoints, subject } = record;
  return (
    <Panel
      title={
        <span className="flex flex-wrap items-baseline gap-3">
          <b className="font-mono text-[13.5px] text-ink">
            {name}/{id}
          </b>
          <span className="flex-1" />
          <span className="font-mono text-[13.5px] font-normal">version {version}</span>
        </span>
      }
    >
      {Object.entries(claims).map(([field, claim]) => (
        <Lease key={field} record={subject} field={field} claim={claim} />
      ))}
      <Fields fields={fields} />
      {Object.values(checkpoints).map((checkpoint) => (
        <CheckpointView key={checkpoint.role} record={record} checkpoint={checkpoint} />
      ))}
    </Panel>
  );
}

interface LeaseProps {
  record: string;
  field: string;
  claim: Claim;
}

/** A bar that runs out; but out, the lease is still its owner's. */
function Lease({ record, field, claim }: LeaseProps) {
  const { owner, fence, released, tookOverFrom, refused } = claim;
  const canAct = useCanAct();
  // Renewals are not in the log: in the past, how long it still had is not known.
  const held = useLive().leases.find((each) => each.record === record && each.field === field);
  const known = canAct && held?.fence === fence ? held : null;
  const now = useNow(known !== null && known.expiresAt > Date.now());
  const left = known ? Math.max(0, known.expiresAt - now) : null;
  const words = () => {
    if (released) return "released";
    if (left === null) return "claimed";
    return left > 0 ? `held, ${(left / 1000).toFixed(1)} s left` : "lapsed, and still its owner's";
  };
  return (
    <div className="mb-3">
      <div className="flex flex-wrap items-baseline gap-x-3 text-[13px]">
        <span className="font-mono">{field}</span>
        <span className="break-all font-mono">{owner}</span>
        <span className="flex-1" />
        <span className={left === 0 && !released ? "text-death" : ""}>
          fence {fence} · {words()}
        </span>
      </div>
      {known ? (
        <div aria-hidden className="mt-1 h-2 overflow-hidden rounded border border-line bg-sunk">
          <div
            className="h-full bg-accent"
            style={{ width: `${Math.min(1, (left ?? 0) / Math.max(1, known.ttlMs)) * 100}%` }}
          />
        </div>
      ) : null}
      {tookOverFrom === null ? null : (
        <div className="text-[13px] text-soft">Taken over from {tookOverFrom}.</div>
      )}
      <ul className="text-[13px] text-soft">
        {refused.map((refusal) => (
          <li key={refusal.by}>
            {refusal.by} was refused at {clock(refusal.at)}: held for{" "}
            {(refusal.remainingMs / 1000).toFixed(1)} s more.
          </li>
        ))}
      </ul>
    </div>
  );
}

function Fields({ fields }: Pick<RecordState, "fields">) {
  return (
    <table className="w-full table-fixed border-collapse text-[13px]">
      <caption className="sr-only">Fields</caption>
      <colgroup>
        <col className="w-[34%]" />
        <col />
      </colgroup>
      <tbody>
        {Object.entries(fields).map(([name, writes]) => {
          const last = writes.at(-1);
          if (!last) return null;
          const shown = last.entryId === undefined ? [last] : writes.slice(-5);
          return (
            <tr key={name} className="border-t border-line align-top">
              <th scope="row" className="py-1 pr-2 text-left font-mono font-normal">
                {name} <span className="text-soft">v{last.version}</span>
              </th>
              <td className="py-1 break-words">
                {writes.length > shown.length && last.entryId !== undefined ? (
                  <div className="text-soft">{writes.length - shown.length} earlier</div>
                ) : null}
                {shown.map(({ version, value, by, evidence }) => (
                  <div key={version}>
                    {inWords(value)}{" "}
                    <span className="text-soft">
                      {by.replace("apikey:", "")}
                      {evidence === null ? null : (
                        <>
                          : “<bdi>{inWords(evidence)}</bdi>”
                        </>
                      )}
                    </span>
                  </div>
                ))}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** What a role left, and what it does not know. */
function CheckpointView({ record, checkpoint }: { record: RecordState; checkpoint: Checkpoint }) {
  const { role, document, recordVersion, savedBy, savedAt, fence } = checkpoint;
  const changes = changedSince(record, checkpoint, "");
  return (
    <div className="mt-3 border-l-2 border-accent pl-3">
      <h3 className="text-[13px] font-semibold text-soft">
        Checkpoint of the role {role}, at record version {recordVersion}
      </h3>
      <p className="text-[13px] text-soft">
        Saved by {savedBy} under fence {fence} at {clock(savedAt)}.
      </p>
      <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 text-[13px]">
        {Object.entries(document).map(([section, content]) => (
          <div key={section} className="contents">
            <dt className="font-mono text-soft">{section}</dt>
            <dd className="break-words">{inWords(content)}</dd>
          </div>
        ))}
      </dl>
      <h3 className="mt-2 text-[13px] font-semibold text-soft">Changed since</h3>
      {changes.length === 0 ? <p className="text-[13px] text-soft">Nothing.</p> : null}
      <ul className="text-[13px]">
        {changes.map(({ field, version, by, evidence, changes: times }) => (
          <li key={field} className="break-words">
            <span className="font-mono">
              {field} v{version}
            </span>{" "}
            by {by}
            {times > 1 ? `, ${times} changes` : ""}
            {evidence === null ? "" : `: “${inWords(evidence)}”`}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Text as it is, anything else as JSON; a long one is cut on the screen, and whole in the event. */
function inWords(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}
