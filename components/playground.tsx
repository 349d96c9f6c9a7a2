"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { useState } from "react";
import { ControlRoom } from "./control-room/control-room";
import { Header } from "./control-room/header";
import { useStream } from "./control-room/live";
import { Intro } from "./intro";

export function Playground() {
  const [client] = useState(
    () => new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } }),
  );
  return (
    <QueryClientProvider client={client}>
      <Page />
    </QueryClientProvider>
  );
}

function Page() {
  const connection = useStream();
  return (
    <>
      <Header connection={connection} />
      <main className="mx-auto grid max-w-[1500px] grid-cols-[minmax(0,1fr)] lg:grid-cols-[minmax(0,1fr)_minmax(440px,600px)]">
        <Intro />
        <ControlRoom connection={connection} />
      </main>
    </>
  );
}
