/** A CloudEvent 1.0 as it stands in the log (https://github.com/cloudevents/spec). */
export interface Envelope<Type extends string = string, Data = unknown> {
  specversion: "1.0";
  /** Unique in its source. */
  id: string;
  /** `/relight/<playground>` */
  source: string;
  type: Type;
  /** What it is about: an agent's id, `record:<class>/<id>`, or `runtime:<id>`. */
  subject: string;
  /** RFC 3339, UTC, milliseconds. */
  time: string;
  datacontenttype: "application/json";
  /** Extension: the event's cursor, its place in the log. */
  sequence: number;
  /** Extension: the cursor of the first event of the same commit. Events that share it were written in one transaction. */
  commit: number;
  data: Data;
}

/** A type without its prefix: `relight.call.started` → `call.started`. */
export const shortType = (type: string): string => type.replace(/^relight\./, "");

/** An event that is about to be written: the store adds the rest. */
export type Draft<E extends Envelope = Envelope> = E extends Envelope
  ? Pick<E, "type" | "subject" | "data">
  : never;

/** A page of the log. `cursor` is where the next page starts (`after`). */
export interface Page<E extends Envelope = Envelope> {
  log: string;
  events: E[];
  cursor: number;
  more: boolean;
}
