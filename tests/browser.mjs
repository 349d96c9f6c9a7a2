/** Finds a Chromium, or gets one: on the machine, else Playwright's own, else Debian's package. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { chromium } from "playwright";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** @returns {string | undefined} */
function onTheMachine() {
  const { RELIGHT_BROWSER: chosen, PATH = "" } = process.env;
  const paths = PATH.split(":").flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return [chosen, ...paths, mac].find((path) => path && existsSync(path));
}

/** @returns {string | undefined} */
function playwrightsOwn() {
  const path = chromium.executablePath();
  return existsSync(path) ? path : undefined;
}

const run = (command, ...args) => spawnSync(command, args, { stdio: "ignore" }).status === 0;

/**
 * @returns {string} the path of a browser
 * @throws if there is none to be had
 */
export function findBrowser() {
  const found = onTheMachine() ?? playwrightsOwn();
  if (found) return found;
  console.log("No browser is here; getting one.");
  if (run("npx", "playwright", "install", "chromium") && playwrightsOwn()) return chromium.executablePath();
  if (process.getuid?.() === 0 && run("apt-get", "update") && run("apt-get", "install", "-y", "chromium")) {
    const installed = onTheMachine();
    if (installed) return installed;
  }
  throw new Error("The tests need Chromium: install it, or set RELIGHT_BROWSER to its path.");
}
