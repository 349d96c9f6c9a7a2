export { type Charge, World, type WorldView } from "./world";
