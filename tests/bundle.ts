import { join } from "node:path";
import { build } from "esbuild";
import { buildPages, bundle, root } from "../lib/cli/build.mjs";

/** Tests run the same bundles and pages as everybody else; capabilities of their own are bundled beside. */
export async function setup(): Promise<void> {
  await bundle();
  buildPages();
  await build({
    absWorkingDir: root,
    entryPoints: ["tests/fixtures/trouble-shop.ts", "tests/fixtures/host.ts"],
    outdir: join(root, "tests", ".built"),
    outExtension: { ".js": ".mjs" },
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    packages: "external",
  });
}
