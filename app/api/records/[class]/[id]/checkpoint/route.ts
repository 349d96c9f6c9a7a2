import { at, recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: (call) => recordsOf(call).loadCheckpoint(at(call), call.query.get("role")),
  PUT: (call) => recordsOf(call).saveCheckpoint(at(call), call.body()),
});
