/** The server's own files that notebooks show. What is shown is compared with what was bundled, which is what runs. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { RelightError } from "../errors";

const bundled = z.record(z.string(), z.object({ file: z.string(), sha256: z.string() }));

export interface Source {
  name: string;
  code: string;
  sha256: string;
  /** Is this the text that runs? A file that was edited since the last build is not. */
  runs: boolean;
}

/** @param name as notebooks write it: `capabilities/shop`. @throws NOT_FOUND */
export function sourceOf(name: string): Source {
  const dist = process.env.RELIGHT_DIST ?? resolve("dist");
  const sources = bundled.parse(JSON.parse(readFileSync(join(dist, "sources.json"), "utf8")));
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
  if (!source) {
    throw new RelightError(
      "NOT_FOUND",
      `There is no source ${name}; there are: ${Object.keys(sources).join(", ")}.`,
    );
  }
  const code = readFileSync(join(dist, "..", source.file), "utf8");
  const sha256 = createHash("sha256").update(code).digest("hex");
  return { name, code, sha256, runs: sha256 === source.sha256 };
}
