"use client";

import { useEffect, useId, useRef } from "react";
import { onThemeChange } from "../ui/theme";

/** The tokens of `globals.css`, as mermaid wants them: colours it can reckon with. */
function tokens(): (name: string) => string {
  const probe = document.createElement("span");
  document.body.append(probe);
  queueMicrotask(() => probe.remove());
  return (name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
}

function themed(token: (name: string) => string) {
  return {
    background: token("sheet"),
    primaryColor: token("sheet"),
    primaryTextColor: token("ink"),
    primaryBorderColor: token("soft"),
    lineColor: token("soft"),
    textColor: token("ink"),
    edgeLabelBackground: token("ground"),
    fontSize: "15px",
  };
}

/**
 * A mermaid diagram. Where it cannot be drawn, its source stands.
 * @param lit the node to light, if the diagram has it
 */
export function Diagram({ source, lit }: { source: string; lit?: string | null }) {
  const id = useId().replace(/[^\w-]/g, "");
  const picture = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let current = true;
    const draw = async () => {
      // Only in the browser, and only where there is one: it is large.
      const { default: mermaid } = await import("mermaid");
      const token = tokens();
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        suppressErrorRendering: true,
        theme: "base",
        themeVariables: themed(token),
      });
      const light = lit
        ? `\n  style ${lit} fill:${hex(token("accent-ground"))},stroke:${hex(token("accent"))},stroke-width:3px`
        : "";
      const { svg: drawn } = await mermaid.render(`diagram-${id}`, source + light);
      const parsed = new DOMParser().parseFromString(drawn, "text/html").querySelector("svg");
      if (current && parsed) picture.current?.replaceChildren(parsed);
    };
    const redraw = () => void draw().catch(() => picture.current?.replaceChildren(source));
    redraw();
    const unwatch = onThemeChange(redraw);
    return () => {
      current = false;
      unwatch();
    };
  }, [id, source, lit]);

  return (
    <figure className="my-6">
      <div ref={picture} className="mx-auto min-h-28 max-w-md overflow-x-auto whitespace-pre-wrap" />
    </figure>
  );
}

/** `rgb(1, 2, 3)` → `#010203`: in a diagram's source a comma ends a style. */
function hex(colour: string): string {
  const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}
