/** A playground in this process, on a directory of its own, with agents that are real processes. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import type { AgentEvent, RunEnd } from "../../lib/agents/events";
import type { Runtime } from "../../lib/agents/runtime";
import { type CallStarted, firstCall, firstRunEnd } from "../../lib/agents/wait";
import { root } from "../../lib/cli/build.mjs";
import type { Arm } from "../../lib/crash-point";
import { follow } from "../../lib/log/follow";
import { Playground } from "../../lib/playground/playground";
import { AGENT } from "../server";
import { until } from "./os";

export { AGENT };
export const STOCK = "How many SKU-7 do we have?";
export const CHARGE = "Charge Maria's card $40 for order 1042.";

const troubleShop = pathToFileURL(join(root, "tests", ".built", "trouble-shop.mjs")).href;

type Cleanup = (clean: () => void) => void;

/** A directory that is thrown away after the test, or when `cleanup` says. */
export function temporary(cleanup: Cleanup = onTestFinished): string {
  const dir = mkdtempSync(join(tmpdir(), "relight-test-"));
  cleanup(() => rmSync(dir, { recursive: true, force: true, maxRetries: 5 }));
  return dir;
}

export class Stage {
  private constructor(readonly playground: Playground) {}

  /** Opens a playground and starts its runtime, with one agent defined. */
  static async open({ dir = temporary(), toolMs = 30, trouble = false, lingerMs = 30 } = {}): Promise<Stage> {
    const playground = Playground.open({
      dir,
      dist: join(root, "dist"),
      toolMs,
      lingerMs,
      discoveryIntervalMs: 100,
      ...(trouble && { capabilities: { shop: troubleShop } }),
    });
    onTestFinished(() => playground.close());
    await playground.start();
    const stage = new Stage(playground);
    await stage.agents.define(AGENT, {
      model: "scripted:shop",
      instructions: "You run Maria's shop.",
      tools: ["shop"],
    });
    return stage;
  }

  get agents() {
    return this.playground.as();
  }

  get runtime(): Runtime {
    if (!this.playground.runtime) throw new Error("The runtime is stopped.");
    return this.playground.runtime;
  }

  /** @returns the cursor to follow from */
  async ask(text: string, id?: string): Promise<number> {
    return (await this.agents.ask(AGENT, { text, id })).cursor;
  }

  arm(at: string, how: Arm["how"] = "kill"): void {
    this.runtime.arm(AGENT, { at, how });
  }

  async *follow(after: number): AsyncGenerator<AgentEvent> {
    const { playground } = this;
    yield* follow<AgentEvent>(playground.folder.store, { after, subject: AGENT, signal: playground.swapped });
  }

  /** The first call that starts after a cursor, once its tool has really begun. */
  async call(after: number): Promise<CallStarted> {
    const started = await firstCall(this.follow(after));
    const { attempt, tool } = started.data;
    const ran = async () => ((await this.playground.world()).toolRuns[tool.name] ?? 0) >= attempt;
    await until(`${tool.name} has begun`, ran);
    return started;
  }

  end(after: number): Promise<RunEnd> {
    return firstRunEnd(this.follow(after));
  }

  /** The first event of a type after a cursor. */
  async event<T extends AgentEvent["type"]>(
    type: T,
    after: number,
  ): Promise<Extract<AgentEvent, { type: T }>> {
    for await (const event of this.follow(after)) {
      if (event.type === type) return event as Extract<AgentEvent, { type: T }>;
    }
    throw new Error(`The log ended without ${type}.`);
  }

  /** Every event of the agent so far. */
  async log(): Promise<AgentEvent[]> {
    return (await this.agents.events(AGENT, { limit: 1000 })).events;
  }

  /** Follows until a run has really ended, deciding every interrupt on the way. */
  async settle(after: number, decide: "approve" | "deny" = "deny"): Promise<RunEnd> {
    const end = await this.end(after);
    if (end.type !== "relight.run.interrupted") return end;
    for (const { id } of await this.agents.interrupts("open")) {
      if (decide === "approve") await this.agents.approve(id);
      else await this.agents.deny(id, { reason: "It went through. I checked the bank." });
    }
    return this.settle(end.sequence, decide);
  }
}
