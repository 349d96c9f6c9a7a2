export type { WorldView } from "./view";
export { World } from "./world";
