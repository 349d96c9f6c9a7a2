import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope }) => playground.secret(scope),
  PUT: ({ playground, scope, body }) => playground.setSecret(body(), scope),
  DELETE: ({ playground, scope }) => playground.setSecret(null, scope),
});
