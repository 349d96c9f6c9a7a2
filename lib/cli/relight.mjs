#!/usr/bin/env node
/** `relight`: bundles the command line where needed, and runs it. */
import { buildPages, bundle, root, watchBundles } from "./build.mjs";

await bundle();
const { main } = await import("../../dist/relight.mjs");
await main(process.argv, { root, buildPages, watchBundles });
