import { RelightError } from "../errors";

export type Role = "owner" | "approver" | "viewer";

/** Who acts, as what, and where: a value, cheap to make. */
export interface Scope {
  /** Written into what this scope does, as `by`. */
  principal: string;
  roles: Role[];
  /** Globs over paths: `*` is one segment, a final `/*` is everything below. */
  resources: string[];
}

/** What is not an agent's but the whole playground's is guarded under this name. No agent's id has a colon. */
export const PLAYGROUND = "playground:";

/** Everything. */
export const OWNER: Scope = { principal: "owner", roles: ["owner"], resources: ["*", "*/*", PLAYGROUND] };

export type Operation = "read" | "decide" | "change";

const allowed: Record<Role, readonly Operation[]> = {
  owner: ["read", "decide", "change"],
  approver: ["read", "decide"],
  viewer: ["read"],
};

/** Does a glob cover a path? `acme/@maria/*` covers `acme/@maria/shop/a`, never `acme/@mariana/x`. */
export function covers(glob: string, path: string): boolean {
  const pattern = glob.split("/");
  const segments = path.split("/");
  const below = pattern.length > 1 && pattern.at(-1) === "*";
  if (below ? segments.length < pattern.length : segments.length !== pattern.length) return false;
  // `*` stands for a segment of an agent's id, never for what has a colon.
  return pattern.every((part, index) => {
    const segment = segments[index];
    return part === segment || (part === "*" && !segment?.includes(":"));
  });
}

/** May this scope do this here? */
export function may(scope: Scope, operation: Operation, resource: string): boolean {
  return (
    scope.roles.some((role) => allowed[role].includes(operation)) &&
    scope.resources.some((glob) => covers(glob, resource))
  );
}

/** @throws FORBIDDEN, naming the operation and the resource */
export function demand(scope: Scope, operation: Operation, resource: string): void {
  if (may(scope, operation, resource)) return;
  throw new RelightError("FORBIDDEN", `${scope.principal} may not ${operation} ${resource}.`, {
    operation,
    resource,
  });
}
