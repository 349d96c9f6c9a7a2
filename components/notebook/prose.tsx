import type { ReactNode } from "react";
import Markdown from "react-markdown";

const slugOf = (text: ReactNode): string =>
  String(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "");

/** A notebook's prose. Raw HTML in it is shown as text; each heading is a step that a link can name. */
export function Prose({ markdown }: { markdown: string }) {
  return (
    <div className="prose">
      <Markdown components={{ h2: ({ children }) => <h2 id={slugOf(children)}>{children}</h2> }}>
        {markdown}
      </Markdown>
    </div>
  );
}
