/** How things are said on the screen. */

/** A call's input in a few words: `$40, order 1042`, `SKU-7`; else its JSON. */
export function describeInput(input: unknown): string {
  if (input === null || typeof input !== "object") return JSON.stringify(input);
  const { sku, amount, order, ...rest } = input as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return JSON.stringify(input);
  if (typeof sku === "string") return sku;
  if (typeof amount === "number") return `$${amount}${typeof order === "string" ? `, order ${order}` : ""}`;
  return JSON.stringify(input);
}

const wholeSeconds: Intl.DateTimeFormatOptions = {
  hourCycle: "h23",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
};
// Kept: making one costs more than all that it formats for a long table.
const clocks = {
  0: new Intl.DateTimeFormat("en-GB", wholeSeconds),
  3: new Intl.DateTimeFormat("en-GB", { ...wholeSeconds, fractionalSecondDigits: 3 }),
};

/** `12:04:07.120`, in the reader's own time zone. */
export const clock = (time: string, digits: 0 | 3 = 0): string => clocks[digits].format(new Date(time));

export function secondsBetween(from: string, to: string | number): number {
  return (new Date(to).getTime() - new Date(from).getTime()) / 1000;
}
