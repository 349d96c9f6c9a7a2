import { routes } from "@/lib/http/route";
import { sourceOf } from "@/lib/playground/source";

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: ({ params }) => sourceOf(params.id),
});
