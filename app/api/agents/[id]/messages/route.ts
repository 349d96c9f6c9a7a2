import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: async ({ playground, scope, params }) => ({
    messages: await playground.as(scope).messages(params.id),
  }),
});
