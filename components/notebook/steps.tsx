import { useEffect, useRef, useState } from "react";
import { Button } from "../ui/button";

const steps = (): HTMLElement[] => [...document.querySelectorAll<HTMLElement>(".prose h2[id]")];

/** Where one is in the notebook, and the way to the step before and after. The URL holds the step. */
export function Steps() {
  const [at, setAt] = useState({ step: 0, of: 0 });

  useEffect(() => {
    const look = () => {
      const all = steps();
      // A step begins when its heading has come up to the header.
      const header = Number.parseFloat(
        getComputedStyle(document.documentElement).getPropertyValue("--header"),
      );
      const step = all.filter((heading) => heading.getBoundingClientRect().top < header + 64).length;
      setAt((before) =>
        before.step === step && before.of === all.length ? before : { step, of: all.length },
      );
    };
    look();
    addEventListener("scroll", look, { passive: true });
    return () => removeEventListener("scroll", look);
  }, []);

  const go = (step: number) => {
    const heading = steps()[step - 1];
    heading?.scrollIntoView();
    history.replaceState(null, "", heading ? `#${heading.id}` : location.pathname + location.search);
    if (!heading) scrollTo(0, 0);
  };
  return (
    <span className="flex items-center gap-2 text-[13px] text-soft">
      step {at.step} of {at.of}
      <Button aria-label="Step before" disabled={at.step === 0} onClick={() => go(at.step - 1)}>
        ‹
      </Button>
      <Button aria-label="Next step" disabled={at.step >= at.of} onClick={() => go(at.step + 1)}>
        ›
      </Button>
    </span>
  );
}

/** Until the reader does something, the step that the URL names stays where it was jumped to: outputs and drawings come later. */
export function useStayAtHash() {
  const article = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = article.current;
    const target = location.hash ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (!element || !target) return;
    const observer = new ResizeObserver(() => target.scrollIntoView());
    observer.observe(element);
    const end = () => observer.disconnect();
    const acts = ["wheel", "touchstart", "pointerdown", "keydown"] as const;
    for (const act of acts) addEventListener(act, end, { once: true, passive: true });
    return () => {
      end();
      for (const act of acts) removeEventListener(act, end);
    };
  }, []);
  return article;
}
