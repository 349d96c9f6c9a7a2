export {
  bury,
  type ClaimRequest,
  claim,
  type Displaced,
  isLive,
  type Lease,
  type ProcessId,
  prove,
  release,
  renew,
} from "./lease";
export { birthOf, isAlive, killAndProve, self } from "./process";
export { Registry } from "./registry";
export { type Exit, spawnListed } from "./spawn";
