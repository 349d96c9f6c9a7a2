/** `npm run bench`: bundles the benchmarks, which use the library's own TypeScript, and runs them. */
import { join } from "node:path";
import { buildPages, root } from "../../lib/cli/build.mjs";
import { bundleTests } from "../bundle.mjs";

await bundleTests();
await buildPages();
await import(join(root, "tests/.built/bench.mjs"));
