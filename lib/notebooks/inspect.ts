/** Any value as text that a person can read, whatever it is: a cycle, a BigInt, an Error, a Map, a huge array. */

const MAX_DEPTH = 6;
const MAX_ITEMS = 100;
/** Characters; what is longer is cut, and says so. */
const MAX_TEXT = 64 * 1024;

/** Cuts text that is too long to be shown, saying how much is missing. */
export function cut(text: string, most = MAX_TEXT): string {
  if (text.length <= most) return text;
  const left = text.length - most;
  return `${text.slice(0, most)}\n… ${left.toLocaleString("en")} characters more are not shown.`;
}

/** A value in the manner of a JavaScript console. */
export function inspect(value: unknown): string {
  return typeof value === "string" ? cut(value) : cut(show(value, 0, []));
}

function show(value: unknown, depth: number, above: object[]): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(cut(value, 10_000));
    case "bigint":
      return `${value}n`;
    case "symbol":
      return value.toString();
    case "function":
      return `[function ${value.name || "without a name"}]`;
    case "object":
      return value === null ? "null" : showObject(value, depth, above);
    default:
      return String(value);
  }
}

function showObject(value: object, depth: number, above: object[]): string {
  if (above.includes(value)) return "[the same again]";
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "an invalid date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "[a promise: await it]";
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? "[…]" : "{…}";
  const inside = [...above, value];
  const item = (each: unknown) => show(each, depth + 1, inside);
  if (Array.isArray(value) || ArrayBuffer.isView(value)) {
    const items = value as unknown as ArrayLike<unknown>;
    return list(
      "[",
      Array.from({ length: Math.min(items.length, MAX_ITEMS) }, (_, i) => item(items[i])),
      items.length,
      "]",
      depth,
    );
  }
  if (value instanceof Map) {
    const entries = first(value.entries()).map(([key, each]) => `${item(key)} => ${item(each)}`);
    return list(`Map(${value.size}) {`, entries, value.size, "}", depth);
  }
  if (value instanceof Set)
    return list(`Set(${value.size}) {`, first(value.values()).map(item), value.size, "}", depth);
  const keys = Object.keys(value);
  const name = Object.getPrototypeOf(value)?.constructor?.name as string | undefined;
  const entries = keys.slice(0, MAX_ITEMS).map((key) => `${property(key)}: ${item(read(value, key))}`);
  return list(name && name !== "Object" ? `${name} {` : "{", entries, keys.length, "}", depth);
}

function first<T>(values: Iterable<T>): T[] {
  const taken: T[] = [];
  for (const value of values) {
    if (taken.length === MAX_ITEMS) break;
    taken.push(value);
  }
  return taken;
}

/** A getter may throw. */
function read(value: object, key: string): unknown {
  try {
    return (value as Record<string, unknown>)[key];
  } catch (error) {
    return error;
  }
}

const property = (key: string): string =>
  /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(key) ? key : JSON.stringify(key);

function list(open: string, items: string[], count: number, close: string, depth: number): string {
  const more = count > items.length ? [`… ${(count - items.length).toLocaleString("en")} more`] : [];
  const all = [...items, ...more];
  if (all.length === 0) return open + close;
  const line = `${open} ${all.join(", ")} ${close}`;
  if (line.length <= 80 && !line.includes("\n")) return line.replace("[ ", "[").replace(" ]", "]");
  const indent = "  ".repeat(depth + 1);
  return `${open}\n${all.map((each) => indent + each).join(",\n")}\n${"  ".repeat(depth)}${close}`;
}
