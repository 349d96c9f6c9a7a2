/** What one waits for in a log, over anything that follows it: a client's stream or the store itself. */

import { RelightError } from "../errors";
import { type AgentEvent, isRunEnd, type RunEnd } from "./events";

export type CallStarted = Extract<AgentEvent, { type: "relight.call.started" }>;

/**
 * The first call that starts.
 * @throws NOT_RUNNING if a run ends without one
 */
export async function firstCall(events: AsyncIterable<AgentEvent>): Promise<CallStarted> {
  for await (const event of events) {
    if (event.type === "relight.call.started") return event;
    if (isRunEnd(event)) {
      throw new RelightError("NOT_RUNNING", `The run ended (${event.type}) before a call was started.`, {
        event,
      });
    }
  }
  throw ended();
}

/** The next event that ends a run, or hands it to a person. */
export async function firstRunEnd(events: AsyncIterable<AgentEvent>): Promise<RunEnd> {
  for await (const event of events) if (isRunEnd(event)) return event;
  throw ended();
}

const ended = (): RelightError => new RelightError("UNAVAILABLE", "The log ended while it was followed.");
