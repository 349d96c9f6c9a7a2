import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope }) => playground.world(scope),
});
