import { at, recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: (call) => recordsOf(call).read(at(call)),
  PUT: (call) => recordsOf(call).create(at(call), call.body()),
});
