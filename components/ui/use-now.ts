import { useEffect, useState } from "react";

/** Epoch milliseconds, ten times a second while it ticks; where it stopped, when it does not. */
export function useNow(ticks: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    const ticking = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(ticking);
  }, [ticks]);
  return now;
}
