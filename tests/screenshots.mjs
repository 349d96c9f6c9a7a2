/** `npm run screenshots`: the pictures of the README, of the real thing: index, mid-kill, in doubt and before a takeover, light and dark. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright";
import { buildPages, bundle, root } from "../lib/cli/build.mjs";
import { findBrowser } from "./browser.mjs";

const folder = join(root, "public", "screenshots");
const cell = (page, id) => page.getByRole("region", { name: `Cell ${id}`, exact: true });
const run = (page, id) =>
  cell(page, id)
    .getByRole("button", { name: /Run( again)?$/ })
    .click();
const done = (page, id) =>
  cell(page, id)
    .getByText(/✓ done/)
    .waitFor();

async function take(url, theme) {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: theme });
  const shoot = (name) => page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  await page.goto(url);
  await page.getByText(/live · event/).waitFor();
  await shoot("index");

  await page.goto(`${url}/notebooks/pull-the-plug`);
  for (const id of ["reset", "define", "kill"]) {
    await run(page, id);
    await done(page, id);
  }
  await page.getByText(/attempt 2 · [1-9]/).waitFor();
  await page.locator("#kill-it-mid-lookup").scrollIntoViewIfNeeded();
  await page.locator("#kill-it-mid-lookup").evaluate((heading) => heading.scrollIntoView());
  await shoot("mid-kill");

  for (const id of ["answer", "charge", "interrupted", "doubt", "decide"]) {
    await run(page, id);
    if (id !== "decide") await done(page, id);
  }
  await cell(page, "decide").getByText("waiting for you").waitFor();
  await page.locator("#decide").evaluate((heading) => heading.scrollIntoView());
  await shoot("in-doubt");

  await page.goto(`${url}/notebooks/take-over`);
  for (const id of ["keys", "open", "die", "lapsed", "plan", "wake"]) {
    await run(page, id);
    await done(page, id);
  }
  await page.locator("#the-plan-changes").evaluate((heading) => heading.scrollIntoView());
  await shoot("take-over");
  await page.close();
}

await bundle();
await buildPages();
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), "relight-screenshots-"));
const server = spawn(
  process.execPath,
  [join(root, "lib/cli/relight.mjs"), "serve", "--port", "0", "--data", data, "--json"],
  {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, RELIGHT_TOOL_MS: "4000" },
  },
);
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: ["--no-sandbox", "--disable-quic", "--disable-background-networking", "--no-first-run"],
});
try {
  let url;
  for await (const line of createInterface({ input: server.stdout })) {
    url = JSON.parse(line).url;
    if (url) break;
  }
  for (const theme of ["light", "dark"]) await take(url, theme);
} finally {
  await browser.close();
  server.kill();
  await once(server, "exit");
  rmSync(data, { recursive: true, force: true });
}
