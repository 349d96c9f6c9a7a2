import { RelightError } from "@/lib/errors";
import { routes } from "@/lib/http/route";

const nothing = ({ request }: { request: Request }) => {
  throw new RelightError("NOT_FOUND", `There is nothing at ${new URL(request.url).pathname}.`);
};

export const { GET, POST, PUT, PATCH, DELETE } = routes({
  GET: nothing,
  POST: nothing,
  PUT: nothing,
  PATCH: nothing,
  DELETE: nothing,
});
