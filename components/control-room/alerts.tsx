import { useEffect, useRef, useState } from "react";
import type { AgentEvent } from "@/lib/agents/events";
import { indexAfter } from "@/lib/client/live";
import { shortType } from "@/lib/log/event";
import { useLive } from "./live";

/** Says at once, to whoever listens, that a call is in doubt or that something failed. The past is not news. */
export function Alerts() {
  const { events, cursor, head } = useLive();
  const said = useRef<number | null>(null);
  const [text, setText] = useState("");

  useEffect(() => {
    if (cursor < head) return;
    const since = said.current;
    said.current = cursor;
    if (since === null) return;
    const news = events.slice(indexAfter(events, since)).flatMap((event) => newsOf(event as AgentEvent));
    if (news.length > 0) setText(news.join(" "));
  }, [events, cursor, head]);

  return (
    <p aria-live="assertive" className="sr-only">
      {text}
    </p>
  );
}

function newsOf(event: AgentEvent): string[] {
  const { subject, sequence } = event;
  switch (event.type) {
    case "relight.interrupt.opened":
      return [`Event ${sequence}: ${event.data.tool.name} of ${subject} is in doubt. A person must say.`];
    case "relight.run.failed":
      return [`Event ${sequence}: a run of ${subject} failed. ${event.data.error.message}`];
    case "relight.agent.crashed":
      return [`Event ${sequence}: ${shortType(event.type)}, ${subject}, pid ${event.data.pid}.`];
    default:
      return [];
  }
}
