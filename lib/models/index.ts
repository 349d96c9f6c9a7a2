import { RelightError } from "../errors";
import type { Model } from "./model";
import { shop } from "./scripted";

export { type Keys, ModelError, type ModelTurn } from "./model";

const scripted = new Map<string, Model>([["shop", shop]]);

/** @throws INVALID if there is no such model */
export function checkModel(name: string): void {
  const [provider, model] = split(name);
  if (provider === "scripted" && scripted.has(model)) return;
  if (provider === "anthropic" && /^[\w.-]{1,100}$/.test(model)) return;
  const known = [...scripted.keys()].map((each) => `scripted:${each}`).join(", ");
  throw new RelightError(
    "INVALID",
    `model: expected ${known} or anthropic:<model>; came ${JSON.stringify(name)}.`,
  );
}

/** A model by `provider:name`, and its name there. @throws INVALID if there is no such model */
export async function modelOf(name: string): Promise<{ model: Model; name: string }> {
  checkModel(name);
  const [provider, model] = split(name);
  if (provider === "scripted") return { model: scripted.get(model) ?? shop, name: model };
  // Only where it is asked: an agent with a scripted model starts without it.
  return { model: (await import("./anthropic")).anthropic, name: model };
}

function split(name: string): [provider: string, model: string] {
  const colon = name.indexOf(":");
  return [name.slice(0, colon), name.slice(colon + 1)];
}
