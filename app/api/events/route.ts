import { pageOf } from "@/lib/http/page";
import { routes } from "@/lib/http/route";
import { sse, subjectIn } from "@/lib/http/sse";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: (call) => {
    const { playground, scope, query, request } = call;
    if (request.headers.get("accept")?.includes("text/event-stream")) return sse(call);
    const agent = query.get("agent");
    return agent === null
      ? playground.events({ ...pageOf(query), subject: subjectIn(query, scope) }, scope)
      : playground.as(scope).events(agent, pageOf(query));
  },
});
