/** Who writes records. Identity comes from the key alone: nothing that a request says of itself counts. */
import { z } from "zod";
import { RelightError } from "../errors";
import { readYaml } from "./yaml";

/** Who asks. */
export interface Caller {
  /** `apikey:remediator/worker-1`; without a key, the playground's `owner`. */
  principal: string;
  /** The first part of the key's name; null: the owner, who reads everything and writes nothing. */
  role: string | null;
}

export interface Key {
  token: string;
  name: string;
}

export const OWNER: Caller = { principal: "owner", role: null };

const keys = z.record(
  z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, "expected a token of 1 to 200 printable characters before the colon"),
  z
    .string("expected a name, such as remediator/worker-1")
    .regex(
      /^[\w.-]{1,60}(\/[\w.-]{1,60})*$/,
      "expected a name of letters, digits and _.- between single slashes, such as remediator/worker-1",
    ),
);

/** A file of `token: name` lines. @throws INVALID with file and line; never with a token */
export function readKeys(file: string): Key[] {
  return Object.entries(readYaml(file, keys)).map(([token, name]) => ({ token, name }));
}

/**
 * Who an `Authorization` header is.
 * @throws UNAUTHENTICATED if it is there and no key is known by it
 */
export function callerOf(authorization: string | null, keys: readonly Key[]): Caller {
  if (authorization === null) return OWNER;
  const token = /^Bearer +(\S+)$/i.exec(authorization.trim())?.[1];
  const key = keys.find((known) => known.token === token);
  if (!key)
    throw new RelightError("UNAUTHENTICATED", "Authorization: expected Bearer and a key that is known here.");
  return { principal: `apikey:${key.name}`, role: key.name.split("/", 1)[0] ?? "" };
}
