import Markdown from "react-markdown";

/** A notebook's prose. Raw HTML in it is shown as text. */
export function Prose({ markdown }: { markdown: string }) {
  return (
    <div className="prose">
      <Markdown>{markdown}</Markdown>
    </div>
  );
}
