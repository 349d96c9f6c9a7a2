/** When the page has nothing more urgent to do: one caller after the other, each in an idle moment of its own. */
export function idle(): Promise<void> {
  queue = queue.then(moment);
  return queue;
}

let queue: Promise<void> = Promise.resolve();

const moment = (): Promise<void> =>
  new Promise((resolve) => {
    // Not every browser has it.
    if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 1000 });
    else setTimeout(resolve, 50);
  });
