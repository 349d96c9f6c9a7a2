import { useEffect, useRef } from "react";
import { Button } from "./button";

const KEYS = [
  ["Ctrl or ⌘ + Enter", "in a cell: run it"],
  ["Shift + Enter", "in a cell: run it, and move on to the next"],
  ["Tab", "moves on, also out of a cell's code"],
  ["← →", "on the log's slider: one commit back or on"],
  ["?", "shows these keys"],
] as const;

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

/** The keys, listed on `?`. */
export function KeysButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const show = (event: KeyboardEvent) => {
      if (event.key === "?" && !isTyping(event.target) && !dialog.current?.open) dialog.current?.showModal();
    };
    addEventListener("keydown", show);
    return () => removeEventListener("keydown", show);
  }, []);
  return (
    <>
      <Button aria-label="Keys" onClick={() => dialog.current?.showModal()}>
        ?
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby="keys-title"
        className="m-auto max-w-md rounded-lg border border-line bg-sheet p-5 text-ink backdrop:bg-black/40"
      >
        <h2 id="keys-title" className="font-serif text-xl font-semibold">
          Keys
        </h2>
        <dl className="my-3 grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
          {KEYS.map(([key, does]) => (
            <div key={key} className="contents">
              <dt className="font-mono text-[13px]">{key}</dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
        <div className="flex justify-end">
          <Button onClick={() => dialog.current?.close()}>Close</Button>
        </div>
      </dialog>
    </>
  );
}
