import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope, params }) => playground.as(scope).get(params.id),
  PUT: async ({ playground, scope, params, body }) => playground.as(scope).define(params.id, body()),
});
