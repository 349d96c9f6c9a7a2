import { pageOf } from "@/lib/http/page";
import { at, recordsOf } from "@/lib/http/records";
import { routes } from "@/lib/http/route";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: (call) => recordsOf(call).history(at(call), pageOf(call.query)),
});
