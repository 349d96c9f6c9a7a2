/** What one waits for in a log, over anything that follows it: a client's stream or the store itself. */

import { RelightError } from "../errors";
import { type AgentEvent, isRunEnd, type RunEnd } from "./events";

export type CallStarted = Extract<AgentEvent, { type: "relight.call.started" }>;
export type InterruptDecided = Extract<AgentEvent, { type: "relight.interrupt.decided" }>;

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

/**
 * The decision of an interrupt.
 * @throws CLOSED if its run ends before anybody decides
 */
export async function firstDecision(
  events: AsyncIterable<AgentEvent>,
  interrupt: string,
): Promise<InterruptDecided> {
  for await (const event of events) {
    if (event.type === "relight.interrupt.decided" && event.data.interrupt === interrupt) return event;
    if (event.type === "relight.interrupt.closed" && event.data.interrupt === interrupt)
      throw new RelightError("CLOSED", "The run ended before anybody decided.", { event });
  }
  throw ended();
}

const ended = (): RelightError => new RelightError("UNAVAILABLE", "The log ended while it was followed.");
