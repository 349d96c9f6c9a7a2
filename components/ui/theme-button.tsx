import { useSyncExternalStore } from "react";
import { Button } from "./button";
import { chooseTheme, chosenTheme, onThemeChange, type Theme } from "./theme";

const NEXT: Record<Theme, Theme> = { system: "light", light: "dark", dark: "system" };

export function ThemeButton() {
  const theme = useSyncExternalStore(onThemeChange, chosenTheme, (): Theme => "system");
  return (
    <Button onClick={() => chooseTheme(NEXT[theme])} aria-label={`Theme: ${theme}. Choose ${NEXT[theme]}.`}>
      {theme}
    </Button>
  );
}
