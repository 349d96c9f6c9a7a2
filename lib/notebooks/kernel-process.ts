/** The kernel of a headless run, in a process of its own. Bundled to `dist/kernel.mjs`. */
import { connect } from "../client";
import { SCRIPTED } from "../client/model-names";
import { run } from "../records/run";
import { Kernel, type ToKernel } from "./kernel";

const [server = "", model = SCRIPTED] = process.argv.slice(2);
const relight = connect(server);
relight.model = model;

const kernel = new Kernel({
  given: { relight, run },
  tell: (message) => process.send?.(message),
  source: (name) => relight.source(name),
});

process.on("unhandledRejection", (reason) => kernel.stray(reason));
process.on("disconnect", () => process.exit(0));
process.on("message", (message) => void kernel.ask(message as ToKernel));
