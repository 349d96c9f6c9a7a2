import { routes } from "@/lib/http/route";
import { runtimeSettings } from "@/lib/playground/input";
import { parse } from "@/lib/validate";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  POST: async ({ playground, scope, body }) =>
    playground.restart(parse(runtimeSettings, body(), "settings"), scope),
});
