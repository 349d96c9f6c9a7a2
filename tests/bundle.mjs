import { join } from "node:path";
import { build } from "esbuild";
import { buildPages, bundle, root } from "../lib/cli/build.mjs";

/** What tests and benchmarks run in processes of their own, bundled beside the bundles that everybody runs. */
export async function bundleTests() {
  await bundle();
  await build({
    absWorkingDir: root,
    entryPoints: [
      "tests/fixtures/trouble-shop.ts",
      "tests/fixtures/host.ts",
      "tests/fixtures/record-appender.ts",
      "tests/fixtures/record-claimer.ts",
      "tests/fixtures/record-request.ts",
      "tests/bench/bench.ts",
    ],
    outdir: join(root, "tests", ".built"),
    entryNames: "[name]",
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
}

/** Vitest's global setup: tests run the same bundles and pages as everybody else. */
export async function setup() {
  await bundleTests();
  await buildPages();
}
