"use client";

import { useEffect, useId, useRef } from "react";

const DIAGRAM = `flowchart TB
  model[Model asks for a call] --> saved[Turn saved]
  saved --> tool[Tool runs]
  tool -- crash --> back[Agent comes back from the saved turn]
  back --> safe{Idempotent?}
  safe -- yes --> tool
  safe -- no --> doubt[In doubt: waits for a person]
  doubt -- charge again --> tool
  doubt -- it went through --> told[Model reads the person's reason]`;

/** How recovery goes, as a picture and as a list of the same steps. */
export function RecoveryDiagram() {
  const id = useId().replace(/[^\w-]/g, "");
  const picture = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    let current = true;
    const draw = async () => {
      // Only in the browser, and only here: it is large.
      const { default: mermaid } = await import("mermaid");
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: dark.matches ? "dark" : "neutral",
      });
      const { svg: drawn } = await mermaid.render(`recovery-${id}`, DIAGRAM);
      const parsed = new DOMParser().parseFromString(drawn, "text/html").querySelector("svg");
      if (current && parsed) picture.current?.replaceChildren(parsed);
    };
    // Without the picture, the list beside it says the same.
    const redraw = () => void draw().catch(() => picture.current?.replaceChildren());
    redraw();
    dark.addEventListener("change", redraw);
    return () => {
      current = false;
      dark.removeEventListener("change", redraw);
    };
  }, [id]);

  return (
    <figure className="my-6">
      <div ref={picture} aria-hidden className="mx-auto min-h-28 max-w-md overflow-x-auto" />
      <figcaption className="text-[15px] text-soft">
        <ol className="list-decimal pl-6">
          <li>The model asks for a call, and the turn is saved before the tool runs.</li>
          <li>After a crash, the agent comes back from the saved turn.</li>
          <li>
            A call that is idempotent runs again. One that is not is in doubt: a person says whether it went
            through.
          </li>
        </ol>
      </figcaption>
    </figure>
  );
}
