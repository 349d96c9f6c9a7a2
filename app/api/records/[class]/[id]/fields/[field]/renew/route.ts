import { at, recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  POST: (call) => recordsOf(call).renew(at(call), call.params.field, call.body()),
});
