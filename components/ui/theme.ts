/** Light, dark, or as the system has it. A choice is kept in this browser. */
const KEY = "relight:theme";
const CHANGED = "relight-theme";

export type Theme = "system" | "light" | "dark";

export function chosenTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  return chosen === "light" || chosen === "dark" ? chosen : "system";
}

export function chooseTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  localStorage.setItem(KEY, theme);
  dispatchEvent(new Event(CHANGED));
}

const systemIsDark = () => matchMedia("(prefers-color-scheme: dark)");

/** @returns how to end it */
export function onThemeChange(changed: () => void): () => void {
  const system = systemIsDark();
  addEventListener(CHANGED, changed);
  system.addEventListener("change", changed);
  return () => {
    removeEventListener(CHANGED, changed);
    system.removeEventListener("change", changed);
  };
}

/** Runs before the page is drawn, so that it is never drawn in the other theme first. */
export const themeScript = `{const t=localStorage.getItem(${JSON.stringify(KEY)});if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}`;
