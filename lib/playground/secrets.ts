import { z } from "zod";
import type { Keys } from "../models";
import { parse } from "../validate";

/** Never the key itself. */
export interface SecretView {
  present: boolean;
  /** Null without one. */
  source: "environment" | "panel" | null;
}

const secret = z.strictObject({
  key: z.string().regex(/^[\x21-\x7e]{1,500}$/, "expected 1 to 500 printable characters without spaces"),
});

/** The keys of a playground, in memory only: the panel's before the environment's. An empty variable is none. */
export class Secrets {
  #panel: string | null = null;
  readonly #environment: string | null;

  constructor(environment: string | undefined = process.env.ANTHROPIC_API_KEY) {
    this.#environment = environment?.trim() || null;
  }

  get keys(): Keys {
    if (this.#panel !== null) return { anthropic: { value: this.#panel, source: "panel" } };
    if (this.#environment !== null) return { anthropic: { value: this.#environment, source: "environment" } };
    return {};
  }

  view(): SecretView {
    const key = this.keys.anthropic;
    return { present: key !== undefined, source: key?.source ?? null };
  }

  /** @throws INVALID, without the key in it */
  set(raw: unknown): SecretView {
    this.#panel = parse(secret, raw, "secret").key;
    return this.view();
  }

  forget(): SecretView {
    this.#panel = null;
    return this.view();
  }
}
