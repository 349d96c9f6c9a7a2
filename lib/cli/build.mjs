/**
 * Makes what cannot be run as it stands: Node runs no TypeScript, so agents' processes, capabilities, the library and
 * the command line are bundled to `dist/`; pages are built by Next to `.next/`. Each only where its sources are newer.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build, context } from "esbuild";

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const dist = join(root, "dist");

/** The newest of some files and folders, as a modification time. */
function newest(...paths) {
  return Math.max(
    0,
    ...paths.map((path) => {
      if (!existsSync(path)) return 0;
      const stat = statSync(path);
      if (!stat.isDirectory()) return stat.mtimeMs;
      return newest(...readdirSync(path).map((name) => join(path, name)));
    }),
  );
}

/** @type {import("esbuild").BuildOptions} */
const bundles = {
  absWorkingDir: root,
  metafile: true,
  entryPoints: {
    agent: "lib/agents/process.ts",
    "capabilities/shop": "lib/capabilities/shop.ts",
    index: "lib/index.ts",
    kernel: "lib/notebooks/kernel-process.ts",
    notebooks: "lib/notebooks/files.ts",
    relight: "lib/cli/main.ts",
    worker: "lib/records/worker.ts",
  },
  outdir: dist,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  packages: "external",
  sourcemap: true,
  logLevel: "warning",
};

/** @type {import("esbuild").BuildOptions} */
const worker = {
  absWorkingDir: root,
  entryPoints: { kernel: "lib/notebooks/kernel-worker.ts" },
  outdir: join(root, "public"),
  bundle: true,
  minify: true,
  format: "iife",
  platform: "browser",
  target: "es2022",
  logLevel: "warning",
};

/** Bundles to `dist/` and `public/`, if they are older than `lib/`. */
export async function bundle() {
  if (newest(join(dist, "relight.mjs")) > newest(join(root, "lib"), join(root, "package.json"))) return;
  await build(worker);
  const { metafile } = await build(bundles);
  const made = new Set(Object.keys(metafile.outputs).map((path) => join(root, path)));
  made.add(writeSources());
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !made.has(path)) rmSync(path);
  }
}

/** Bundles again whenever `lib/` changes: the next process of an agent runs what was edited. */
export async function watchBundles() {
  for (const options of [worker, bundles]) await (await context(options)).watch();
}

/** Notes which text of each capability was bundled, so that a page can say whether what it shows is what runs. */
function writeSources() {
  const folder = join(root, "lib", "capabilities");
  const sources = readdirSync(folder).map((name) => {
    const sha256 = createHash("sha256")
      .update(readFileSync(join(folder, name)))
      .digest("hex");
    return [`capabilities/${name.replace(/\.ts$/, "")}`, { file: `lib/capabilities/${name}`, sha256 }];
  });
  const path = join(dist, "sources.json");
  writeFileSync(path, JSON.stringify(Object.fromEntries(sources)));
  return path;
}

/**
 * Builds the pages, if they are older than their sources.
 * @throws if a notebook is broken, with its file and line, or Next cannot build
 */
export async function buildPages() {
  const sources = [
    "app",
    "components",
    "lib",
    "instrumentation.ts",
    "next.config.mjs",
    "postcss.config.mjs",
    "package-lock.json",
  ];
  if (newest(join(root, ".next", "BUILD_ID")) > newest(...sources.map((name) => join(root, name)))) return;
  const { readNotebooks } = await import("../../dist/notebooks.mjs");
  readNotebooks(join(root, "lib", "notebooks"));
  console.log("Building the pages; this takes a minute, once.");
  const { status } = spawnSync(process.execPath, [join(root, "node_modules/next/dist/bin/next"), "build"], {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
  });
  if (status !== 0) throw new Error("The pages cannot be built: npx next build says why.");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bundle();
  await buildPages();
}
