/**
 * A data directory: a marker that says that Relight made it and which log is the current one, and that log's folder.
 * A reset makes a new folder and moves the marker to it, so that a crash at any point leaves one whole playground.
 */
import { randomBytes, randomUUID } from "node:crypto";
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { messageOf, RelightError } from "../errors";
import { Registry } from "../leases";
import type { Key } from "../records/identity";
import { openSqliteStore, type Store } from "../store";
import { World } from "../world";

const MARKER = "relight.json";

/** Names that only Relight gives: whatever else stands in a directory is somebody's, and is never removed. */
const LOG_NAME = /^log-[0-9a-f]{8}$/;
const TEMPORARY_NAME = /^marker-[0-9a-f]{8}$/;

const markerSchema = z.object({
  relight: z.literal(1),
  playground: z.string(),
  current: z.string().regex(LOG_NAME),
});
type Marker = z.infer<typeof markerSchema>;

/** One log with its world, open. */
export interface Folder {
  path: string;
  storePath: string;
  worldPath: string;
  /** The agents' processes that run here, */
  registry: Registry;
  /** and the workers'. */
  workers: Registry;
  store: Store;
  world: World;
}

/**
 * Opens a data directory, making it where there is none.
 * @throws INVALID if it holds something else than Relight's data; UNAVAILABLE if it cannot be used
 */
export function openDirectory(path: string): { playground: string; folder: Folder } {
  try {
    makeDirectory(path);
    const marker = readMarker(path) ?? claimEmpty(path);
    chmodSync(path, 0o700);
    return { playground: marker.playground, folder: openFolder(join(path, marker.current)) };
  } catch (error) {
    if (error instanceof RelightError) throw error;
    throw new RelightError("UNAVAILABLE", `${path} cannot be used: ${messageOf(error)}.`);
  }
}

/** The names of a playground's own record keys. */
const KEY_NAMES = ["diagnoser", "remediator/worker-1", "remediator/worker-2"];
const KEYS = "keys.json";
const keysSchema = z.array(z.object({ token: z.string(), name: z.string() }));

/** The playground's own record keys, made with it. A reset keeps them. @throws INVALID, UNAVAILABLE */
export function ownKeys(path: string): Key[] {
  const file = join(path, KEYS);
  if (!existsSync(file)) {
    const made = KEY_NAMES.map((name) => ({ token: `rk_${randomBytes(18).toString("base64url")}`, name }));
    putOnce(path, KEYS, made);
  }
  const parsed = keysSchema.safeParse(parseJson(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new RelightError("INVALID", `${file} holds no keys of this version of Relight.`);
}

/** Is this folder still the current one? Another server may have made another. */
export function isCurrent(path: string, folder: Folder): boolean {
  return readMarker(path)?.current === basename(folder.path);
}

/** Makes the folder of a fresh log beside the current one. Cursors go on after `after`. */
export function newFolder(path: string, playground: string, after: number): Folder {
  const folder = join(path, `log-${randomUUID().slice(0, 8)}`);
  mkdirSync(folder, { mode: 0o700 });
  const log = basename(folder);
  openSqliteStore({
    path: storeIn(folder),
    create: { log, source: `/relight/${playground}`, after },
  }).close();
  new World(worldIn(folder), { create: true }).close();
  return openFolder(folder);
}

/** Makes a folder the current one: from here on the other one is garbage. */
export function makeCurrent(path: string, playground: string, folder: Folder): void {
  const marker: Marker = { relight: 1, playground, current: basename(folder.path) };
  renameSync(writeTemporary(path, marker), join(path, MARKER));
  syncDirectory(path);
}

export function closeFolder({ store, world }: Folder): void {
  store.close();
  world.close();
}

/** Removes every log but the current one. Only for whoever runs the directory. */
export function removeOthers(path: string, current: Folder): void {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const other = entry.isDirectory() && LOG_NAME.test(entry.name) && entry.name !== basename(current.path);
    if (other) rmSync(join(path, entry.name), { recursive: true });
  }
}

/** Step by step: Node 20's own recursive mkdir never ends where a file system refuses one, as /proc does. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  mkdirSync(path, { mode: 0o700 });
}

function openFolder(path: string): Folder {
  return {
    path,
    storePath: storeIn(path),
    worldPath: worldIn(path),
    registry: new Registry(join(path, "processes")),
    workers: new Registry(join(path, "workers")),
    store: openSqliteStore({ path: storeIn(path) }),
    world: new World(worldIn(path)),
  };
}

const storeIn = (folder: string): string => join(folder, "relight.db");
const worldIn = (folder: string): string => join(folder, "world.db");

function readMarker(path: string): Marker | null {
  const file = join(path, MARKER);
  if (!existsSync(file)) return null;
  const parsed = markerSchema.safeParse(parseJson(readFileSync(file, "utf8")));
  if (parsed.success) return parsed.data;
  throw new RelightError("INVALID", `${file} is not a marker of this version of Relight.`);
}

/** Makes a file whole, unless it is there. Two servers may try at once: a hard link to a name is made by one of them only. */
function putOnce(path: string, name: string, content: unknown): boolean {
  const temporary = writeTemporary(path, content);
  try {
    linkSync(temporary, join(path, name));
    syncDirectory(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  } finally {
    rmSync(temporary);
  }
}

/** Takes an empty directory. */
function claimEmpty(path: string): Marker {
  const foreign = readdirSync(path).find((name) => !LOG_NAME.test(name) && !TEMPORARY_NAME.test(name));
  if (foreign !== undefined) {
    throw new RelightError(
      "INVALID",
      `${path} holds something else (${foreign}): expected an empty directory, or one that Relight made.`,
    );
  }
  const playground = randomUUID().slice(0, 8);
  const folder = newFolder(path, playground, 0);
  closeFolder(folder);
  const made: Marker = { relight: 1, playground, current: basename(folder.path) };
  if (!putOnce(path, MARKER, made)) rmSync(folder.path, { recursive: true });
  const marker = readMarker(path);
  if (!marker) throw new Error("its marker is gone again");
  return marker;
}

function writeTemporary(path: string, content: unknown): string {
  const temporary = join(path, `marker-${randomUUID().slice(0, 8)}`);
  const file = openSync(temporary, "wx", 0o600);
  writeSync(file, `${JSON.stringify(content)}\n`);
  fsyncSync(file);
  closeSync(file);
  return temporary;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, "r");
  fsyncSync(directory);
  closeSync(directory);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
