/**
 * One stream for all tabs of a browser, which allows six connections to a host: a Web Lock says which tab leads, and it
 * lends what it reads over a BroadcastChannel. When the leader goes, the lock passes on, and the next one reads on from
 * what it has seen. A page that holds a lock is not frozen in the background.
 */
import type { Connection, StreamMessage } from "@/lib/client";
import { type Borrowing, Lender, type Lending } from "@/lib/client/lent";
import type { Live } from "@/lib/client/live";
import type { StreamSource } from "@/lib/client/stream";

const NAME = "relight-stream";

type Said =
  | Borrowing
  | Lending
  /** A tab has begun to lead: whoever borrowed borrows anew. */
  | { leads: true }
  | { connection: Connection };

export interface SharedStreamOptions {
  /** Opens a stream of one's own. */
  open: StreamSource;
  /** What this tab has seen. */
  seen(): Live;
  receive(message: StreamMessage): void;
  onConnection(connection: Connection): void;
  signal: AbortSignal;
}

/** @returns what to call when this tab has seen more */
export function shareStream({ open, seen, receive, onConnection, signal }: SharedStreamOptions): () => void {
  const tab = crypto.randomUUID();
  const channel = new BroadcastChannel(NAME);
  const say = (said: Said) => channel.postMessage(said);
  let lender: Lender | null = null;
  let connection: Connection = "reconnecting";

  const borrow = () => say({ borrows: tab, after: seen().cursor });

  channel.onmessage = ({ data }: MessageEvent<Said>) => {
    if ("borrows" in data || "returns" in data) {
      lender?.hear(data);
      if (lender && "borrows" in data) say({ connection });
    } else if ("to" in data) {
      if (data.to === tab && !lender) data.messages.forEach(receive);
    } else if ("leads" in data) {
      if (!lender) borrow();
    } else if (!lender) onConnection(data.connection);
  };

  const lead = async () => {
    lender = new Lender(seen(), say);
    say({ leads: true });
    const connected = (now: Connection) => {
      connection = now;
      onConnection(now);
      say({ connection: now });
    };
    for await (const message of open({ after: seen().cursor, signal, onConnection: connected }))
      receive(message);
  };

  borrow();
  navigator.locks.request(NAME, { signal }, lead).catch(() => {
    // Only the signal ends it, and the page with it.
    if (!signal.aborted) onConnection("reconnecting");
  });
  const leave = () => {
    say({ returns: tab });
    channel.close();
  };
  signal.addEventListener("abort", leave, { once: true });
  return () => lender?.update(seen());
}
