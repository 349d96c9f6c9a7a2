"use client";

import { useEffect, useId, useRef } from "react";

/** A mermaid diagram. Where it cannot be drawn, its source stands. */
export function Diagram({ source }: { source: string }) {
  const id = useId().replace(/[^\w-]/g, "");
  const picture = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    let current = true;
    const draw = async () => {
      // Only in the browser, and only where there is one: it is large.
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        suppressErrorRendering: true,
        theme: dark.matches ? "dark" : "neutral",
      });
      const { svg: drawn } = await mermaid.render(`diagram-${id}`, source);
      const parsed = new DOMParser().parseFromString(drawn, "text/html").querySelector("svg");
      if (current && parsed) picture.current?.replaceChildren(parsed);
    };
    const redraw = () => void draw().catch(() => picture.current?.replaceChildren(source));
    redraw();
    dark.addEventListener("change", redraw);
    return () => {
      current = false;
      dark.removeEventListener("change", redraw);
    };
  }, [id, source]);

  return (
    <figure className="my-6">
      <div ref={picture} className="mx-auto min-h-28 max-w-md overflow-x-auto whitespace-pre-wrap" />
    </figure>
  );
}
