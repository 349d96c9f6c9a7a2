/** Workers' processes, folded from their events: pure, for the server and the browser alike. */
import type { Envelope } from "../log/event";
import type { WorkerState } from "./view";

export interface WorkerEvents {
  "worker.started": { name: string; pid: number };
  "worker.paused": { name: string; pid: number };
  "worker.continued": { name: string; pid: number };
  "worker.crashed": { name: string; pid: number; signal: string | null; exitCode: number | null };
  "worker.stopped": { name: string; pid: number };
}

export type WorkerEvent = {
  [T in keyof WorkerEvents]: Envelope<`relight.${T}`, WorkerEvents[T]>;
}[keyof WorkerEvents];

export const subjectOf = (name: string): string => `worker:${name}`;

export const isWorker = (subject: string): boolean => subject.startsWith(subjectOf(""));

export const isAlive = (state: WorkerState): boolean => state === "running" || state === "paused";

/** The latest process of a worker. */
export interface WorkerLife {
  name: string;
  pid: number;
  state: WorkerState;
}

/** The process after an event. */
export function apply({ type, data: { name, pid } }: WorkerEvent): WorkerLife {
  switch (type) {
    case "relight.worker.started":
    case "relight.worker.continued":
      return { name, pid, state: "running" };
    case "relight.worker.paused":
      return { name, pid, state: "paused" };
    case "relight.worker.crashed":
      return { name, pid, state: "crashed" };
    case "relight.worker.stopped":
      return { name, pid, state: "stopped" };
  }
}
