"use client";

import { useEffect, useId, useRef } from "react";
import { idle } from "../ui/idle";
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
  const latest = useRef(lit);
  latest.current = lit;

  useEffect(() => {
    let current = true;
    const draw = async () => {
      // It takes long, and nothing waits for it.
      await idle();
      if (!current) return;
      // Only in the browser, and only where there is one: it is large.
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        suppressErrorRendering: true,
        theme: "base",
        themeVariables: themed(tokens()),
      });
      const { svg: drawn } = await mermaid.render(`diagram-${id}`, source);
      const parsed = new DOMParser().parseFromString(drawn, "text/html").querySelector("svg");
      if (!current || !parsed) return;
      picture.current?.replaceChildren(parsed);
      light(parsed, latest.current);
    };
    const redraw = () => void draw().catch(() => picture.current?.replaceChildren(source));
    redraw();
    const unwatch = onThemeChange(redraw);
    return () => {
      current = false;
      unwatch();
    };
  }, [id, source]);

  // Drawing it anew for each step of an agent would cost more than all else on the page.
  useEffect(() => {
    const drawn = picture.current?.querySelector("svg");
    if (drawn) light(drawn, lit);
  }, [lit]);

  return (
    <figure className="my-6">
      <div ref={picture} className="mx-auto min-h-28 max-w-md overflow-x-auto whitespace-pre-wrap" />
    </figure>
  );
}

/** Mermaid names a node's group after the node: `flowchart-tool-3`, perhaps with the picture's own id before it. */
function light(drawn: SVGSVGElement, lit: string | null | undefined): void {
  for (const node of drawn.querySelectorAll(".node")) {
    const here = lit != null && node.id.includes(`flowchart-${lit}-`);
    for (const shape of node.querySelectorAll<SVGElement>("rect, polygon, path")) {
      // On the shape itself: the picture's own styles have an id before each rule.
      shape.style.fill = here ? "var(--accent-ground)" : "";
      shape.style.stroke = here ? "var(--accent)" : "";
      shape.style.strokeWidth = here ? "3px" : "";
    }
  }
}
