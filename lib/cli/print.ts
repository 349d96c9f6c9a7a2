import type { Interrupt } from "../agents/state";
import { type Envelope, shortType } from "../log/event";

/** Prints a document as JSON, or as the line that says it. */
export function print(json: boolean, document: unknown, line: string): void {
  console.log(json ? JSON.stringify(document) : line);
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
  return `${id}  ${agent}  ${call.tool} ${JSON.stringify(call.input)}  attempt ${call.attempt}, ${how}${by}`;
}
