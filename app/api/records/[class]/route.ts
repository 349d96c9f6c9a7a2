import { recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: async (call) => ({ records: await recordsOf(call).list(call.params.class) }),
});
