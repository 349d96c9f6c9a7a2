export { AgentClient, connect, type Followed, Relight, ScopedClient } from "./client";
export type { Connection, StreamMessage } from "./stream";
