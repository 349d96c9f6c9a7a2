import type { Interrupt } from "../agents/state";
import { type Envelope, shortType } from "../log/event";
import type { RecordEvent } from "../records/events";
import type { Resumption } from "../records/view";
import { oneLine, visible } from "../visible";

/** Prints a document as JSON, or as the line that says it. */
export function print(json: boolean, document: unknown, line: string): void {
  console.log(json ? JSON.stringify(document) : visible(line));
}

export function lineOfEvent({ sequence, time, type, subject, data }: Envelope): string {
  const { tool, attempt, pid } = data as { tool?: { name: string }; attempt?: number; pid?: number };
  const more = [
    tool?.name,
    attempt !== undefined && `attempt ${attempt}`,
    pid !== undefined && `pid ${pid}`,
  ].filter(Boolean);
  const columns = [String(sequence).padStart(5), time, shortType(type).padEnd(18), subject, ...more];
  return columns.join("  ");
}

export function lineOfInterrupt({ id, agent, call, attempts, status, decidedBy, reason }: Interrupt): string {
  const last = attempts.at(-1);
  const how = last ? `started at ${last.startedAt}, ${last.why ?? "unknown"}` : "";
  const by = decidedBy ? `, ${status} by ${decidedBy}${reason ? `: ${reason}` : ""}` : "";
  return oneLine(
    `${id}  ${agent}  ${call.tool} ${JSON.stringify(call.input)}  attempt ${call.attempt}, ${how}${by}`,
  );
}

const indent = (text: string, by: string): string => text.replace(/^/gm, by);

/** What a worker wakes up to. */
export function linesOfResumption({
  role,
  document,
  recordVersion,
  changedFields,
  record,
}: Resumption): string {
  if (document === null) {
    const fields = Object.entries(record.fields).map(
      ([name, { value, version, by }]) =>
        `  ${name.padEnd(20)} v${version}    ${by ?? "nobody yet"}\n      ${JSON.stringify(value)}`,
    );
    return [`role: ${role}`, "no checkpoint yet; the record is:", ...fields].join("\n");
  }
  const changes = changedFields.flatMap(({ field, version, by, evidence, changes, mine }) => [
    `  ${field.padEnd(20)} v${version}    ${by}${mine ? " (you)" : ""}${changes > 1 ? `, ${changes} changes` : ""}`,
    ...(evidence === null ? [] : [indent(`evidence: ${evidence}`, "      ")]),
  ]);
  return [
    `role: ${role}`,
    `checkpoint at record_version ${recordVersion}:`,
    indent(JSON.stringify(document, null, 2), "  "),
    "changed since this checkpoint:",
    ...(changes.length > 0 ? changes : ["  nothing"]),
  ].join("\n");
}

/** A row of a record's history: who did what to which field, under which fence, and why. */
export function lineOfChange({ sequence, time, type, data }: RecordEvent): string {
  const { by, field, version, fence, evidence, tookOverFrom, tookOverFence, owner } = data as {
    by: string;
    field?: string;
    version?: number;
    fence?: number;
    evidence?: string;
    tookOverFrom?: string;
    tookOverFence?: number;
    owner?: string;
  };
  const more = [
    field,
    version !== undefined && `v${version}`,
    by,
    owner !== undefined && `held by ${owner}`,
    fence !== undefined && `fence ${fence}`,
    tookOverFrom !== undefined && `from ${tookOverFrom}, fence ${tookOverFence}`,
    evidence !== undefined && `evidence: ${evidence}`,
  ].filter(Boolean);
  return oneLine([String(sequence).padStart(5), time, shortType(type).padEnd(19), ...more].join("  "));
}
