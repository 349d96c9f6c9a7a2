/** `npm test`: builds, finds a browser, runs both runners, and closes with one line from their own reports. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { buildPages, bundle, root } from "../lib/cli/build.mjs";
import { findBrowser } from "./browser.mjs";

const reports = join(root, "test-results");
const vitestReport = join(reports, "vitest.json");
const playwrightReport = join(reports, "playwright.json");

function run(script, args, env = {}) {
  const options = { cwd: root, stdio: "inherit", env: { ...process.env, ...env } };
  return spawnSync(process.execPath, [join(root, "node_modules", script), ...args], options).status === 0;
}

/** @returns {{ passed: number, failed: number }} of one report; a run without a report has failed */
function count(file, read) {
  try {
    return read(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    return { passed: 0, failed: 1 };
  }
}

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports);
await bundle();
await buildPages();
let browser;
try {
  browser = findBrowser();
} catch (error) {
  console.error(error.message);
  console.log("0 passed, 1 failed");
  process.exit(1);
}

const ran = [
  run("vitest/vitest.mjs", [
    "run",
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${vitestReport}`,
  ]),
  run("playwright/cli.js", ["test", "--config=tests/e2e/playwright.config.ts"], {
    RELIGHT_BROWSER: browser,
    PLAYWRIGHT_JSON_OUTPUT_FILE: playwrightReport,
  }),
];

const counts = [
  count(vitestReport, ({ numPassedTests, numFailedTests, numFailedTestSuites, success }) => ({
    passed: numPassedTests,
    // A file that cannot be loaded fails without a failed test in it.
    failed: numFailedTests || (success && ran[0] ? 0 : numFailedTestSuites || 1),
  })),
  count(playwrightReport, ({ stats, errors }) => ({
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
  })),
];
const passed = counts.reduce((sum, each) => sum + each.passed, 0);
const failed = counts.reduce((sum, each) => sum + each.failed, 0);
process.exitCode = failed === 0 && ran.every(Boolean) ? 0 : 1;
console.log(`${passed} passed, ${failed} failed`);
