import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useId, useRef, useState } from "react";
import { Button } from "../ui/button";
import { Refusal } from "../ui/refusal";
import { relight, SECRET, useAct, useSecret } from "./live";

/** The key to Claude: set, replaced, forgotten. It goes to the server's memory, and never comes back. */
export function SecretsButton() {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const secret = useSecret();
  const client = useQueryClient();
  const [key, setKey] = useState("");
  const changed = (view: typeof secret) => {
    client.setQueryData(SECRET, view);
    setKey("");
  };
  const set = useAct(async (value: string) => changed(await relight.secrets.set(value.trim())));
  const forget = useAct(async () => changed(await relight.secrets.forget()));
  const busy = set.busy || forget.busy;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (key.trim() !== "" && !busy) set.act(key);
  };
  return (
    <>
      <Button
        onClick={() => {
          // Another tab may have set or forgotten it.
          void client.invalidateQueries({ queryKey: SECRET });
          dialog.current?.showModal();
        }}
      >
        Secrets
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby={`${id}-title`}
        className="m-auto max-w-md rounded-lg border border-line bg-sheet p-5 text-ink backdrop:bg-black/40"
        onClose={() => setKey("")}
      >
        <h2 id={`${id}-title`} className="font-serif text-xl font-semibold">
          The key to Claude
        </h2>
        <p className="my-3" role="status">
          {secret?.present
            ? `There is a key, from ${secret.source === "panel" ? "this panel" : "the environment"}.`
            : "There is no key. The scripted model needs none."}
        </p>
        <form onSubmit={submit}>
          <label htmlFor={`${id}-key`} className="text-[13px] text-soft">
            Anthropic API key
          </label>
          <input
            id={`${id}-key`}
            type="password"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.target.value)}
            className="mt-1 w-full rounded-md border border-line bg-ground px-2.5 py-1 font-mono"
          />
          <p className="mt-2 text-[13px] text-soft">
            Kept in the server's memory, for this playground, until it ends. It is not written to the log or
            to the disk, and not shown again.
          </p>
          <Refusal text={set.refusal ?? forget.refusal} />
          <div className="mt-4 flex flex-wrap justify-end gap-3">
            {secret?.source === "panel" ? (
              <Button disabled={busy} onClick={() => forget.act()}>
                Forget it
              </Button>
            ) : null}
            <Button type="submit" tone="accent" disabled={busy || key.trim() === ""}>
              {secret?.source === "panel" ? "Replace" : "Set"}
            </Button>
            <Button onClick={() => dialog.current?.close()}>Close</Button>
          </div>
        </form>
      </dialog>
    </>
  );
}
