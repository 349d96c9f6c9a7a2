export { World, type WorldView } from "./world";
