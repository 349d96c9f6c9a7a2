export interface Timings {
  what: string;
  ms: number[];
}

export function line({ what, ms }: Timings): string {
  const sorted = [...ms].sort((a, b) => a - b);
  const at = (part: number) => (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(2).padStart(8);
  return `${what.padEnd(44)} median ${at(0.5)} ms   p95 ${at(0.95)} ms   n ${sorted.length}`;
}

/** As often as `rounds` says. @param measure gives the milliseconds of one round */
export async function measured(
  what: string,
  rounds: number,
  measure: (round: number) => Promise<number>,
): Promise<Timings> {
  const ms: number[] = [];
  for (let round = 0; round < rounds; round++) ms.push(await measure(round));
  return { what, ms };
}

export const timed = (what: string, rounds: number, work: () => Promise<void> | void): Promise<Timings> =>
  measured(what, rounds, async () => {
    const began = performance.now();
    await work();
    return performance.now() - began;
  });
