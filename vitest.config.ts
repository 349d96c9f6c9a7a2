import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["tests/unit/**/*.test.ts", "tests/crash/**/*.test.ts"],
    globalSetup: ["tests/bundle.mjs"],
    // A hang is a failure; how fast something is is for `npm run bench`.
    // Most of them wait for processes and leases, not for a processor.
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
