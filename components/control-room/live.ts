"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { type Connection, connect, type StreamMessage } from "@/lib/client";
import { advance, type Live, nothing } from "@/lib/client/live";
import { messageOf } from "@/lib/errors";
import { shareStream } from "./shared-stream";

/** The page's own server. */
export const relight = connect();

const LOG = ["log"];
const RUNTIME = ["runtime"];
export const SECRET = ["secret"];

/** The log as the page has seen it, folded. */
export const useLive = (): Live =>
  useQuery({
    queryKey: LOG,
    queryFn: () => nothing,
    initialData: nothing,
    // The fold shares what did not change already; comparing a long log deeply would cost more than drawing it.
    structuralSharing: false,
  }).data;

/** The runtime's status; asked for anew when an event says that it changed. */
export const useRuntime = () =>
  useQuery({ queryKey: RUNTIME, queryFn: () => relight.runtime.status(), retry: 3 });

/** Whether there is a key to Claude. */
export const useSecret = () =>
  useQuery({ queryKey: SECRET, queryFn: () => relight.secrets.anthropic(), retry: 3 }).data;

/** Feeds the stream, which all tabs share, into the cache. */
export function useStream(): Connection | "connecting" {
  const client = useQueryClient();
  const [connection, setConnection] = useState<Connection | "connecting">("connecting");

  useEffect(() => {
    const ended = new AbortController();
    const seen = () => client.getQueryData<Live>(LOG) ?? nothing;
    let batch: StreamMessage[] = [];
    const flush = () => {
      const messages = batch;
      batch = [];
      client.setQueryData<Live>(LOG, advance(seen(), messages));
      updated();
      const about = (message: StreamMessage) =>
        message.is === "log" || (message.is === "event" && message.event.subject.startsWith("runtime:"));
      if (messages.some(about)) void client.invalidateQueries({ queryKey: RUNTIME });
      // A server that was started anew has forgotten the panel's key.
      if (messages.some(({ is }) => is === "log")) void client.invalidateQueries({ queryKey: SECRET });
    };
    const updated = shareStream({
      open: (options) => relight.stream(options),
      seen,
      receive: (message) => {
        // Many messages that come at once are one change of the page.
        if (batch.length === 0) setTimeout(flush, 16);
        batch.push(message);
      },
      onConnection: setConnection,
      signal: ended.signal,
    });
    return () => ended.abort();
  }, [client]);

  return connection;
}

/**
 * Something a person does. What it changed comes back through the stream; a refusal is shown where it was done.
 * @param about what it was done to: once that is another one, a refusal is no longer true
 */
export function useAct<Input = void, Output = unknown>(
  act: (input: Input) => Promise<Output>,
  about?: unknown,
) {
  const when = useRef(about);
  const { mutate, isPending, error, data, reset } = useMutation({ mutationFn: act });
  const code = error && "code" in error ? `${String(error.code)}: ` : "";
  const refusal = error && Object.is(when.current, about) ? `${code}${messageOf(error)}` : null;
  const mark = (input: Input) => {
    when.current = about;
    mutate(input);
  };
  return { act: mark, busy: isPending, refusal, data, clear: reset };
}
