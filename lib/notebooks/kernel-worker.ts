/** The kernel of a page, in a worker of its own: bundled to `public/kernel.js`, whose policy allows evaluation. */
import { connect } from "../client";
import { type Borrowing, borrower, type Lending } from "../client/lent";
import { run } from "../records/run";
import { type FromKernel, Kernel, type ToKernel } from "./kernel";

/** What a page and its worker say to each other. */
export type ToWorker = ToKernel | Lending | { model: string };
export type FromWorker = FromKernel | Borrowing;

const say = (message: FromWorker): void => postMessage(message);

const stream = borrower(say);
const relight = connect(location.origin, stream.source);

// The page hears of a reset a moment after it was answered; what a cell follows next must be of the new log.
const reset = relight.reset.bind(relight);
relight.reset = async () => {
  const answer = await reset();
  for await (const message of relight.stream({ after: answer.cursor })) {
    if (message.is === "log" && message.log === answer.log) break;
  }
  return answer;
};

const kernel = new Kernel({ given: { relight, run }, tell: say, source: (name) => relight.source(name) });

addEventListener("unhandledrejection", (event) => {
  event.preventDefault();
  kernel.stray(event.reason);
});
addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
  if ("to" in data) stream.take(data);
  // The page's choice of a model: the cells read it as `relight.model`.
  else if ("model" in data) relight.model = data.model;
  else void kernel.ask(data);
});
