import { at, recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  PUT: (call) => recordsOf(call).write(at(call), call.params.field, call.body()),
});
