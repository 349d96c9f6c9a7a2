import { bundle } from "../lib/cli/build.mjs";

/** Tests run the same bundles as everybody else. */
export const setup = (): Promise<void> => bundle();
