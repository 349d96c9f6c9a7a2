import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { defineTool, type Tool } from "../agents/tool";
import { World } from "../world";

/** The tools of Maria's shop. `world` is where the bank and the warehouse are; each tool takes `toolMs`. */
export function tools({ world: path, toolMs }: { world: string; toolMs: number }): Tool[] {
  const world = new World(path);

  const checkStock = defineTool({
    name: "check_stock",
    description: "Says how many of a product the warehouse has.",
    schema: z.object({ sku: z.string() }),
    annotations: { readOnly: true, idempotent: true },
    timeoutMs: toolMs + 30_000,
    async run({ sku }) {
      await world.ran("check_stock");
      await sleep(toolMs);
      return `${sku}: ${world.stock(sku)} in stock.`;
    },
  });

  const chargeCard = defineTool({
    name: "charge_card",
    description: "Charges the customer's card, in dollars.",
    schema: z.object({ amount: z.int().positive(), order: z.string().optional() }),
    timeoutMs: toolMs + 30_000,
    async run({ amount, order }) {
      await world.ran("charge_card");
      await sleep(toolMs / 2);
      await world.charge(amount, order);
      await sleep(toolMs / 2);
      return `Charged $${amount}.`;
    },
  });

  return [checkStock, chargeCard];
}
