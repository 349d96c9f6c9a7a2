"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createContext, type ReactNode, useContext, useState } from "react";
import type { Connection } from "@/lib/client";
import { Header } from "./control-room/header";
import { useStream } from "./control-room/live";

const ConnectionContext = createContext<Connection | "connecting">("connecting");

/** Is the page's stream connected? */
export const useConnection = () => useContext(ConnectionContext);

/** A page with the header, fed by the one stream of its tab. */
export function Live({ title, children }: { title?: ReactNode; children: ReactNode }) {
  const [client] = useState(
    () => new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } }),
  );
  return (
    <QueryClientProvider client={client}>
      <Connected title={title}>{children}</Connected>
    </QueryClientProvider>
  );
}

function Connected({ title, children }: { title?: ReactNode; children: ReactNode }) {
  const connection = useStream();
  return (
    <ConnectionContext.Provider value={connection}>
      <Header connection={connection} title={title} />
      {children}
    </ConnectionContext.Provider>
  );
}
