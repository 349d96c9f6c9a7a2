import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef, useState } from "react";
import { idle } from "../ui/idle";
import { Highlighted } from "./highlighted";

export interface EditorProps {
  label: string;
  code: string;
  change(code: string): void;
  run(): void;
  runAndMoveOn(): void;
}

const highlight = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string), tags.number, tags.bool], color: "var(--doubt)" },
  { tag: tags.comment, color: "var(--soft)" },
]);

const theme = EditorView.theme({
  "&": { fontSize: "14px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-2px" },
  ".cm-content": { fontFamily: "var(--font-mono)", padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 14px" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
});

/** A cell's code. Tab moves on, as everywhere on the page; Mod-Enter runs, Shift-Enter runs and moves on. */
export function Editor({ label, code, ...does }: EditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef({ ...does, code });
  latest.current = { ...does, code };

  const [ready, setReady] = useState(false);

  useEffect(() => {
    let current = true;
    void idle().then(() => current && setReady(true));
    return () => {
      current = false;
    };
  }, []);

  useEffect(() => {
    if (!place.current || !ready) return;
    const does = (what: "run" | "runAndMoveOn") => () => {
      latest.current[what]();
      return true;
    };
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: latest.current.code,
        extensions: [
          keymap.of([
            { key: "Mod-Enter", run: does("run") },
            { key: "Shift-Enter", run: does("runAndMoveOn") },
          ]),
          history(),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          javascript({ typescript: true }),
          syntaxHighlighting(highlight),
          theme,
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ "aria-label": label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.change(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label, ready]);

  // Only where it was changed from outside: restored, or reset.
  useEffect(() => {
    const made = view.current;
    if (!made || made.state.doc.toString() === code) return;
    made.dispatch({ changes: { from: 0, to: made.state.doc.length, insert: code } });
  }, [code]);

  return (
    <div ref={place}>
      {/* Until the editor is there, the code is, in the same place: nothing moves when it comes. */}
      {ready ? null : (
        <Highlighted
          code={code}
          className="px-[14px] py-3 text-[14px] leading-[1.4] break-words whitespace-pre-wrap"
        />
      )}
    </div>
  );
}
