import { RelightError } from "../errors";

const DEFAULT_LIMIT = 200;
const MAX_LIMIT = 1000;

/** `after` and `limit` of a query. @throws INVALID */
export function pageOf(query: URLSearchParams): { after: number; limit: number } {
  return {
    after: integer(query, "after", 0, Number.MAX_SAFE_INTEGER) ?? 0,
    limit: integer(query, "limit", 1, MAX_LIMIT) ?? DEFAULT_LIMIT,
  };
}

function integer(query: URLSearchParams, name: string, least: number, most: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new RelightError(
    "INVALID",
    `${name}: expected a whole number from ${least} to ${most}; came ${JSON.stringify(text)}.`,
  );
}
