import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes(
  { POST: async ({ playground, scope, params, body }) => playground.as(scope).ask(params.id, body()) },
  202,
);
