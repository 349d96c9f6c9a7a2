import { defineConfig } from "playwright/test";

export default defineConfig({
  testDir: ".",
  outputDir: "../../test-results/e2e",
  reporter: [["list"], ["json"]],
  forbidOnly: true,
  timeout: 60_000,
  expect: { timeout: 20_000 },
  workers: 1,
  use: {
    viewport: { width: 1440, height: 1000 },
    launchOptions: {
      executablePath: process.env.RELIGHT_BROWSER ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-quic",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
      ],
    },
  },
});
