import { demand, PLAYGROUND } from "../agents/scope";
import { callerOf } from "../records/identity";
import type { Records } from "../records/records";
import type { Call } from "./route";

/**
 * What the request's caller can do with records. Identity comes from the key; without one it is the playground's owner,
 * who may narrow that.
 * @throws UNAUTHENTICATED, FORBIDDEN
 */
export function recordsOf({ playground, scope, request }: Call): Records {
  const authorization = request.headers.get("authorization");
  if (authorization === null) demand(scope, "read", PLAYGROUND);
  return playground.records(callerOf(authorization, playground.keys));
}

/** Which record a path names. */
export const at = ({ params }: Call) => ({ className: params.class, id: params.id });
