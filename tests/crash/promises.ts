/** What must hold of every playground, whatever was killed in it. */
import { expect } from "vitest";
import type { AgentEvent } from "../../lib/agents/events";
import { isUnfinished } from "../../lib/agents/next";
import { apply, conversation, initial, type Message } from "../../lib/agents/state";
import type { Store } from "../../lib/store";
import { AGENT } from "./stage";

/** Checks the log, its projections and the conversation of one agent. */
export async function promisesHold(store: Store): Promise<void> {
  const { events, projected } = await atOnce(store);
  noGap(events);
  const mine = events.filter(({ subject }) => subject === AGENT);
  noUnapprovedRepeat(mine);
  const state = mine.reduce(apply, initial(AGENT));
  expect(projected).toEqual({ subject: AGENT, position: state.position, unfinished: isUnfinished(state) });
  isValidConversation(conversation(state));
}

/** The log and its projection at one moment: a process may be leaving just now. */
async function atOnce(store: Store) {
  for (;;) {
    const head = await store.head();
    const { events } = await store.read<AgentEvent>({ limit: 10_000 });
    const projected = (await store.subjects()).find(({ subject }) => subject === AGENT);
    if ((await store.head()) === head) return { events, projected };
  }
}

/** No ask was lost, and none was answered twice: each has one run, and each run has ended. */
export function everyAskIsAnswered(events: AgentEvent[]): void {
  const asked = events.flatMap((event) =>
    event.type === "relight.ask.received" ? [event.data.message.id] : [],
  );
  const started = events.flatMap((event) => (event.type === "relight.run.started" ? [event.data] : []));
  expect(started.map(({ message }) => message)).toEqual(asked);
  const ended = events.flatMap((event) =>
    event.type === "relight.run.completed" || event.type === "relight.run.failed" ? [event.data.run] : [],
  );
  expect(ended).toEqual(started.map(({ run }) => run));
}

function noGap(events: AgentEvent[]): void {
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
}

/** A call that is not idempotent starts a second time only if a person approved just that. */
function noUnapprovedRepeat(events: AgentEvent[]): void {
  const allowed = new Map<string, number>();
  for (const event of events) {
    if (event.type === "relight.turn.saved") {
      for (const { id, idempotent } of event.data.calls)
        allowed.set(id, idempotent ? Number.POSITIVE_INFINITY : 1);
    } else if (event.type === "relight.interrupt.decided" && event.data.decision === "approved") {
      allowed.set(event.data.call, (allowed.get(event.data.call) ?? 0) + 1);
    } else if (event.type === "relight.call.started") {
      const left = allowed.get(event.data.call) ?? 0;
      expect(left, `${event.data.tool.name} may start a ${event.data.attempt}. time`).toBeGreaterThan(0);
      allowed.set(event.data.call, left - 1);
    }
  }
}

/** Each tool use is answered by exactly one result, in the next message. */
function isValidConversation(messages: Message[]): void {
  messages.forEach((message, index) => {
    const used = message.parts.flatMap((part) => (part.type === "tool_use" ? [part.call] : []));
    const following = messages[index + 1];
    const answered =
      following?.parts.flatMap((part) => (part.type === "tool_result" ? [part.call] : [])) ?? [];
    if (following || used.length === 0) expect(answered).toEqual(used);
    expect(message.parts).not.toHaveLength(0);
  });
}
