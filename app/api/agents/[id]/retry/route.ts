import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  POST: ({ playground, scope, params }) => playground.as(scope).retry(params.id),
});
