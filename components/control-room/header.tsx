import Link from "next/link";
import { type ReactNode, useEffect, useRef } from "react";
import type { Connection } from "@/lib/client";
import { Button } from "../ui/button";
import { KeysButton } from "../ui/keys-button";
import { Refusal } from "../ui/refusal";
import { ThemeButton } from "../ui/theme-button";
import { relight, useAct, useLive, useRuntime } from "./live";
import { SecretsButton } from "./secrets";

export function Header({ connection, title }: { connection: Connection | "connecting"; title?: ReactNode }) {
  const { cursor, runtime: status } = useLive();
  const runtime = useRuntime().data;
  const restart = useAct(() => relight.runtime.restart());
  const stop = useAct(() => relight.runtime.stop());
  const start = useAct(() => relight.runtime.start());
  const gone = connection !== "live";
  const busy = restart.busy || stop.busy || start.busy || gone;
  return (
    <header
      ref={measure}
      className="z-10 flex lg:sticky lg:top-0 flex-wrap items-center gap-x-5 gap-y-2 border-b border-line bg-sheet px-6 py-2.5"
    >
      <Link href="/" className="font-serif text-[17px] font-semibold">
        Relight
      </Link>
      {title}
      <span className="flex-1" />
      <span role="status" className="text-[13px]">
        {connection === "live" ? (
          <>
            <span aria-hidden className="text-accent">
              ●
            </span>{" "}
            live · event {cursor}
          </>
        ) : connection === "connecting" ? (
          "connecting"
        ) : (
          <span className="text-death">reconnecting: server gone</span>
        )}
      </span>
      <span className="text-[13px] text-soft">
        {runtime && !gone ? `runtime ${status} · server pid ${runtime.pid}` : "runtime unknown"}
      </span>
      {status === "stopped" ? (
        <Button tone="accent" disabled={busy} onClick={() => start.act()}>
          Start runtime
        </Button>
      ) : (
        <>
          <Button disabled={busy} onClick={() => restart.act()}>
            Restart runtime
          </Button>
          <Button disabled={busy} onClick={() => stop.act()}>
            Stop runtime
          </Button>
        </>
      )}
      <Reset />
      <SecretsButton />
      <ThemeButton />
      <KeysButton />
      <Refusal text={restart.refusal ?? stop.refusal ?? start.refusal} />
    </header>
  );
}

/** How high the header is, as it wraps: what sticks below it, and what is jumped to, must not lie under it. */
function measure(header: HTMLElement | null) {
  if (!header) return;
  const tell = () =>
    document.documentElement.style.setProperty("--header", `${header.getBoundingClientRect().height}px`);
  const observer = new ResizeObserver(tell);
  observer.observe(header);
  return () => observer.disconnect();
}

/** Asks once, then proves what it did. */
function Reset() {
  const dialog = useRef<HTMLDialogElement>(null);
  const { log } = useLive();
  const reset = useAct(async () => {
    const { processes } = await relight.reset();
    const [{ events }, { bank }, agents] = await Promise.all([
      relight.events.list(),
      relight.world(),
      relight.agents.list(),
    ]);
    const runs = agents.filter(({ run }) => run !== null).length;
    const running = processes.filter(({ agent }) => agent !== null).length;
    return `${events.length} events, ${runs} runs, ${bank.length} charges, ${running === 0 ? "no" : running} agent process`;
  });
  // Somebody else threw away what the dialog asks about.
  const asked = useRef(log);
  useEffect(() => {
    if (log !== asked.current && !reset.busy && reset.data === undefined) dialog.current?.close();
    asked.current = log;
  }, [log, reset.busy, reset.data]);
  return (
    <>
      <Button onClick={() => dialog.current?.showModal()}>Reset</Button>
      <dialog
        ref={dialog}
        aria-labelledby="reset-title"
        className="m-auto max-w-md rounded-lg border border-line bg-sheet p-5 text-ink backdrop:bg-black/40"
        onClose={reset.clear}
      >
        <h2 id="reset-title" className="font-serif text-xl font-semibold">
          Throw this playground away?
        </h2>
        <p className="my-3">
          Its log, its runs and the bank's charges are removed, and its agents are killed. It cannot be
          undone.
        </p>
        {typeof reset.data === "string" ? (
          <p role="status" className="my-3 font-medium text-accent">
            Reset: {reset.data}.
          </p>
        ) : null}
        <Refusal text={reset.refusal} />
        <div className="mt-4 flex justify-end gap-3">
          <Button onClick={() => dialog.current?.close()}>{reset.data ? "Close" : "Keep it"}</Button>
          {reset.data ? null : (
            <Button tone="death" disabled={reset.busy} onClick={() => reset.act()}>
              Throw away and start fresh
            </Button>
          )}
        </div>
      </dialog>
    </>
  );
}
