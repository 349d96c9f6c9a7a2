import { pageOf } from "@/lib/http/page";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope, params, query }) => playground.as(scope).events(params.id, pageOf(query)),
});
