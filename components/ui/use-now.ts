import { useEffect, useState } from "react";

/** Epoch milliseconds, ten times a second while it ticks; as of this drawing, when it does not. */
export function useNow(ticks: boolean): number {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (!ticks) return;
    const ticking = setInterval(() => redraw((drawn) => drawn + 1), 100);
    return () => clearInterval(ticking);
  }, [ticks]);
  return Date.now();
}
