import { type FormEvent, useId, useRef, useState } from "react";
import { useConnection } from "../live-page";
import { Button } from "../ui/button";
import { Refusal } from "../ui/refusal";
import { relight, useAct } from "./live";

const SUGGESTIONS = ["How many SKU-7 do we have?", "Charge Maria's card $40 for order 1042."];

export function AskBox({ agent }: { agent: string }) {
  const id = useId();
  const connection = useConnection();
  const [text, setText] = useState("");
  // Kept until the server has answered: sent again after a lost answer, it is the same ask.
  const pending = useRef<{ text: string; id: string } | null>(null);
  const ask = useAct(async (asked: string) => {
    if (pending.current?.text !== asked) pending.current = { text: asked, id: crypto.randomUUID() };
    await relight.agent(agent).ask(asked, { id: pending.current.id });
    pending.current = null;
    setText("");
  }, connection);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== "" && !ask.busy) ask.act(text);
  };
  return (
    <form className="mt-3" onSubmit={submit}>
      <label htmlFor={id} className="text-[13px] text-soft">
        Ask
      </label>
      <div className="mt-1 flex gap-2">
        <input
          id={id}
          value={text}
          onChange={(event) => setText(event.target.value)}
          autoComplete="off"
          className="min-w-0 flex-1 rounded-md border border-line bg-ground px-2.5 py-1"
        />
        <Button type="submit" tone="accent" disabled={ask.busy || text.trim() === ""}>
          Ask
        </Button>
      </div>
      <div className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-[13px]">
        {SUGGESTIONS.map((suggestion) => (
          <button
            key={suggestion}
            type="button"
            className="text-accent underline underline-offset-2"
            onClick={() => setText(suggestion)}
          >
            {suggestion}
          </button>
        ))}
      </div>
      <Refusal text={ask.refusal} />
    </form>
  );
}
