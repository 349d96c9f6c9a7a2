import { typescriptLanguage } from "@codemirror/lang-javascript";
import { highlightCode, tagHighlighter, tags } from "@lezer/highlight";
import { type ReactNode, useMemo } from "react";

const highlighter = tagHighlighter([
  { tag: [tags.keyword, tags.operatorKeyword], class: "text-accent" },
  { tag: [tags.string, tags.special(tags.string), tags.number, tags.bool], class: "text-doubt" },
  { tag: tags.comment, class: "text-soft" },
]);

/** TypeScript to be read, in the colours of the editor. */
export function Highlighted({ code, className = "text-[13px]" }: { code: string; className?: string }) {
  const parts = useMemo(() => {
    const drawn: ReactNode[] = [];
    const put = (text: string, classes: string) =>
      drawn.push(
        <span key={drawn.length} className={classes}>
          {text}
        </span>,
      );
    highlightCode(code, typescriptLanguage.parser.parse(code), highlighter, put, () => put("\n", ""));
    return drawn;
  }, [code]);
  return <pre className={`font-mono ${className}`}>{parts}</pre>;
}
