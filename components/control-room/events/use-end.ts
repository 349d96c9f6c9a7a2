import { type RefObject, useLayoutEffect, useRef, useState } from "react";

/** So near to the end, in pixels, counts as there. */
const NEAR = 24;

const isAtEnd = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement): boolean =>
  scrollHeight - scrollTop - clientHeight < NEAR;

interface End {
  scroller: RefObject<HTMLElement | null>;
  /** The newest row's cursor. */
  last: number;
  /** How high the rows are together, */
  size: number;
  /** and what shows them. */
  height: number;
}

/** Keeps the newest row in sight for whoever reads it; moves nothing for whoever reads, or stands on, another one. */
export function useEnd({ scroller, last, size, height }: End) {
  // What scrolls must be known at once, before the next drawing: so it is a ref, and a state tells the screen.
  const atEnd = useRef(true);
  const lastDrawn = useRef(last);
  /** The newest row's cursor when the reader left the end; null at the end. */
  const [seen, setSeen] = useState<number | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever the end may be somewhere else
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    if (atEnd.current && !isAtEnd(element)) {
      if (isHeld(element)) {
        atEnd.current = false;
        setSeen(lastDrawn.current);
      } else element.scrollTop = element.scrollHeight;
    } else if (isAtEnd(element)) {
      atEnd.current = true;
      setSeen(null);
    }
    lastDrawn.current = last;
  }, [last, size, height]);

  return {
    seen,
    follow: () => {
      const element = scroller.current;
      if (!element) return;
      atEnd.current = true;
      setSeen(null);
      element.scrollTop = element.scrollHeight;
    },
    onScroll: () => {
      const element = scroller.current;
      if (!element) return;
      const now = isAtEnd(element);
      if (now === atEnd.current) return;
      atEnd.current = now;
      setSeen(now ? null : last);
    },
  };
}

/** Is an open row in sight, or the row that has the focus? */
function isHeld(scroller: HTMLElement): boolean {
  const { top, bottom } = scroller.getBoundingClientRect();
  const held = [...scroller.querySelectorAll("tr[data-open]")];
  const focused = document.activeElement?.closest("tr");
  if (focused && scroller.contains(focused)) held.push(focused);
  return held.some((row) => {
    const box = row.getBoundingClientRect();
    return box.bottom > top && box.top < bottom;
  });
}
