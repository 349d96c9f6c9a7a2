/** What a server prints while it runs: one line for each agent that started, crashed or failed, and each decision. */
import type { AgentEvent } from "../agents/events";
import { follow } from "../log/follow";
import { oneLine } from "../visible";
import type { LogLevel, Playground } from "./playground";

/** Follows the log until the playground is closed, through resets. */
export function observe(playground: Playground, log: (level: LogLevel, line: string) => void): void {
  const watch = async () => {
    while (!playground.closed.aborted) {
      const { swapped: signal, folder } = playground;
      for await (const event of follow<AgentEvent>(folder.store, {
        after: await folder.store.head(),
        signal,
      })) {
        const line = lineOf(event);
        if (line) log("info", oneLine(line));
      }
    }
  };
  watch().catch((error: unknown) => log("warn", `The log cannot be followed: ${String(error)}`));
}

function lineOf(event: AgentEvent): string | null {
  const { subject } = event;
  switch (event.type) {
    case "relight.agent.started": {
      const { pid, fence, tookOverFrom } = event.data;
      return `${subject}: started, pid ${pid}, fence ${fence}${tookOverFrom ? `, took over from pid ${tookOverFrom.pid}` : ""}`;
    }
    case "relight.agent.crashed": {
      const { pid, signal, exitCode, why } = event.data;
      return `${subject}: crashed, pid ${pid}, ${why ?? signal ?? (exitCode === null ? "found dead" : `exit code ${exitCode}`)}`;
    }
    case "relight.run.failed":
      return `${subject}: run failed, ${event.data.error.code}: ${event.data.error.message}`;
    case "relight.interrupt.opened":
      return `${subject}: in doubt, ${event.data.tool.name} (${event.data.interrupt}) waits for a person`;
    case "relight.interrupt.decided":
      return `${subject}: ${event.data.interrupt} ${event.data.decision} by ${event.data.by}`;
    default:
      return null;
  }
}
