export { connect, type Relight } from "./client";
export type { Connection, StreamMessage } from "./stream";
