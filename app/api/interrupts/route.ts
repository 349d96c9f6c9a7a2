import { interruptStatus } from "@/lib/agents/input";
import { routes } from "@/lib/http/route";
import { parse } from "@/lib/validate";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: async ({ playground, scope, query }) => {
    const status = parse(interruptStatus.optional(), query.get("status") ?? undefined, "status");
    return { interrupts: await playground.as(scope).interrupts(status) };
  },
});
