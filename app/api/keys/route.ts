import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ playground, scope }) => ({ keys: playground.recordKeys(scope) }),
});
