import { useEffect, useRef, useState } from "react";

/** An announcement waits so long for what comes with it, */
const GATHER_MS = 1000;
/** and so long after the one before it. */
const APART_MS = 5000;

/** Says politely how many events came since it last said so; never with each of them. */
export function NewEvents({ cursor, count }: { cursor: number; count: number }) {
  const [text, setText] = useState("");
  const latest = useRef(count);
  const said = useRef({ count, at: 0 });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the cursor is what tells that something came
  useEffect(() => {
    latest.current = count;
    if (timer.current !== undefined || count === said.current.count) return;
    // Emptied first: the same words again would be no change, and not be read.
    setText("");
    const wait = Math.max(GATHER_MS, said.current.at + APART_MS - Date.now());
    timer.current = setTimeout(() => {
      timer.current = undefined;
      const came = latest.current - said.current.count;
      said.current = { count: latest.current, at: Date.now() };
      setText(came === 1 ? "1 new event" : `${came} new events`);
    }, wait);
  }, [cursor, count]);

  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );

  return (
    <p aria-live="polite" className="sr-only">
      {text}
    </p>
  );
}
