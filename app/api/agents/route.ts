import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: async ({ playground, scope }) => ({ agents: await playground.as(scope).list() }),
});
