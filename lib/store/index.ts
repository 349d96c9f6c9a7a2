export { type Database, openDatabase, read, write } from "./database";
export { openSqliteStore } from "./sqlite";
export type { Commit, Committed, LeaseStep, Store } from "./store";
