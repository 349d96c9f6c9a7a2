"use client";

import { createContext, type ReactNode, useContext, useEffect, useMemo, useState } from "react";
import type { Live } from "@/lib/client/live";
import { Replay } from "@/lib/client/replay";
import { useConnection } from "../live-page";
import { useLive } from "./live";

interface Scrub {
  /** The cursor that the control room shows; null: now. */
  at: number | null;
  show(at: number | null): void;
  replay: Replay;
}

const ScrubContext = createContext<Scrub>({ at: null, show: () => {}, replay: new Replay() });

/** Lets a reader look at any point of the log. */
export function Scrubbed({ children }: { children: ReactNode }) {
  const [at, show] = useState<number | null>(null);
  const [replay] = useState(() => new Replay());
  const { log } = useLive();
  // The past of a log ends with it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever it is another log
  useEffect(() => show(null), [log]);
  const scrub = useMemo(() => ({ at, show, replay }), [at, replay]);
  return <ScrubContext.Provider value={scrub}>{children}</ScrubContext.Provider>;
}

export const useScrub = (): Scrub => useContext(ScrubContext);

/** What the control room shows: now, or as of the point that the reader chose. */
export function useView(): Live {
  const live = useLive();
  const { at, replay } = useScrub();
  return useMemo(() => (at === null ? live : replay.at(live, at)), [live, at, replay]);
}

/** Can anything be done about what is shown? Not about the past, and not with no server. */
export function useCanAct(): boolean {
  const { at } = useScrub();
  return useConnection() === "live" && at === null;
}
