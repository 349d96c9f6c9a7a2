/** The event that the reader chose. The URL holds it (`?event=41`), so that a link leads to it. */
import { useSyncExternalStore } from "react";

const NAME = "event";
const CHANGED = "relight-selected";

function selected(): number | null {
  const text = new URLSearchParams(location.search).get(NAME);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function subscribe(changed: () => void): () => void {
  addEventListener(CHANGED, changed);
  addEventListener("popstate", changed);
  return () => {
    removeEventListener(CHANGED, changed);
    removeEventListener("popstate", changed);
  };
}

export const useSelected = (): number | null => useSyncExternalStore(subscribe, selected, () => null);

export function select(sequence: number | null): void {
  const url = new URL(location.href);
  if (sequence === null) url.searchParams.delete(NAME);
  else url.searchParams.set(NAME, String(sequence));
  history.replaceState(null, "", url);
  dispatchEvent(new Event(CHANGED));
}
