/**
 * A worker's own operating system process, bundled to `dist/worker.mjs`. It is a client like any other: what it knows of
 * records it knows over HTTP, by its key.
 */
import { drain } from "../capabilities/ops";
import { connect } from "../client";
import { isRelightError, lineOf } from "../errors";
import { pause } from "../pause";
import { World } from "../world";
import { type Happening, run } from "./run";
import type { Orders } from "./workers";

const POLL_MS = 500;
const LEASE_SECONDS = 3;

async function work({ name, ignoreChanges, url, token, world, stepMs }: Orders): Promise<void> {
  const client = connect(url).records({ token });
  const step = async (signal: AbortSignal) => {
    await pause(stepMs, signal);
    signal.throwIfAborted();
  };
  const agent = drain({ cluster: new World(world), step, ignoreChanges });
  let refusedBy: unknown;
  const on = (happening: Happening) => {
    // It asks again and again; that one holder has it is told once.
    const fence = happening.did === "refused" ? happening.error.details.fence : undefined;
    if (fence === undefined || fence !== refusedBy) console.log(`${name}  ${tell(happening)}`);
    refusedBy = fence;
  };
  for (;;) {
    try {
      await run(agent, client, {
        className: "incidents",
        claimField: "remediation",
        leaseSeconds: LEASE_SECONDS,
        pollMs: POLL_MS,
        forever: true,
        on,
      });
    } catch (error) {
      // A server that is away comes back, and what somebody else wrote first is read anew; what else goes wrong ends it.
      if (!isRelightError(error, "UNAVAILABLE") && !isRelightError(error, "CONFLICT")) throw error;
      console.log(`${name}  ${lineOf(error)}`);
    }
    await pause(POLL_MS);
  }
}

function tell(happening: Happening): string {
  switch (happening.did) {
    case "claimed": {
      const { owner, fence, tookOverFrom } = happening.claim;
      return `claim      ${tookOverFrom ? `took_over_from=${tookOverFrom}` : `owner=${owner}`} fence=${fence}`;
    }
    case "refused": {
      const { owner, remainingMs } = happening.error.details;
      return `claim      HELD by ${owner}, ${(Number(remainingMs) / 1000).toFixed(1)} s more`;
    }
    case "checkpoint":
      return `checkpoint ${happening.document.progress}`;
    case "lost":
      return `refused    ${lineOf(happening.error)}`;
    case "done":
      return `released   ${happening.record}`;
  }
}

// Its server is gone: whatever runs here must not go on behind the back of the next one.
process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
process.once("message", (orders) => {
  work(orders as Orders).catch((error: unknown) => {
    console.error(lineOf(error));
    process.exit(1);
  });
});
