/** A stage whose agent's model is Claude, at a Messages API on this machine. */
import { expect, onTestFinished, vi } from "vitest";
import type { AgentEvent, Definition } from "../../lib/agents/events";
import { OWNER } from "../../lib/agents/scope";
import { type StreamMessage, stream } from "../../lib/playground/stream";
import { MessagesApi } from "../fixtures/messages-api";
import type { RequestBody } from "../fixtures/messages-rules";
import { until } from "./os";
import { AGENT, Stage } from "./stage";

export const KEY = "sk-ant-test-environment";
export const MODEL = "anthropic:claude-haiku-4-5";

export interface ClaudeStage {
  stage: Stage;
  api: MessagesApi;
}

/** The API ends after the test, which fails if it had anything to complain of. */
export async function messagesApi(): Promise<MessagesApi> {
  const api = await MessagesApi.start();
  onTestFinished(() => {
    api.close();
    expect(api.complaints).toEqual([]);
  });
  return api;
}

/** @param key the environment's; null: there is none */
export async function claude({
  key = KEY,
  limits,
  ...options
}: {
  key?: string | null;
  limits?: Definition["limits"];
  toolMs?: number;
  lingerMs?: number;
} = {}): Promise<ClaudeStage> {
  const api = await messagesApi();
  // What a server's environment would say; the agents' processes inherit the address from it.
  vi.stubEnv("ANTHROPIC_BASE_URL", api.url);
  vi.stubEnv("ANTHROPIC_API_KEY", key ?? undefined);
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  // Its process stays between asks: to load the SDK for each would cost more than all that is tested.
  const stage = await Stage.open({ toolMs: 0, lingerMs: 60_000, ...options });
  const instructions = "You run Maria's shop.";
  await stage.agents.define(AGENT, {
    model: MODEL,
    instructions,
    tools: ["shop"],
    ...(limits && { limits }),
  });
  return { stage, api };
}

/** What a request's last message answers each call with. */
export const resultsOf = (body: RequestBody | undefined) =>
  (body?.messages.at(-1)?.content ?? []).filter(({ type }) => type === "tool_result");

export const typed = <T extends AgentEvent["type"]>(events: AgentEvent[], type: T) =>
  events.filter((event): event is Extract<AgentEvent, { type: T }> => event.type === type);

type SpeechMessage = Extract<StreamMessage, { is: "speech" }>["speech"];

/** The live stream's messages of what is spoken, from now on. */
export function listen({ playground }: Stage) {
  const heard: SpeechMessage[] = [];
  const ended = new AbortController();
  const listening = stream(
    playground,
    { after: Number.MAX_SAFE_INTEGER, scope: OWNER, signal: ended.signal },
    async (messages) => {
      for (const message of messages) if (message.is === "speech") heard.push(message.speech);
    },
  );
  onTestFinished(async () => {
    ended.abort();
    await listening;
  });
  return {
    heard,
    /** Resolves once something of the kind was heard. */
    until: (what: string, is: (speech: SpeechMessage) => boolean) => until(what, () => heard.some(is)),
    /** What a page shows that puts each piece where it says that it stands. */
    text: () => heard.reduce((shown, { from, text }) => (from > 0 ? shown.slice(0, from) : "") + text, ""),
  };
}
