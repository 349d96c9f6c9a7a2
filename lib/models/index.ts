import { RelightError } from "../errors";
import type { Model } from "./model";
import { shop } from "./scripted";

export { ModelError } from "./model";

const models = new Map<string, Model>([["scripted:shop", shop]]);

/** Names of the models that this server can run. */
export const modelNames = [...models.keys()];

/** @throws INVALID if there is no such model */
export function modelOf(name: string): Model {
  const model = models.get(name);
  if (!model)
    throw new RelightError(
      "INVALID",
      `model: expected one of ${modelNames.join(", ")}; came ${JSON.stringify(name)}.`,
    );
  return model;
}
