import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: async ({ playground, scope, params }) => ({ calls: await playground.as(scope).calls(params.id) }),
});
