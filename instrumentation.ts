/** Makes sure that the runtime runs with the server, so that unfinished agents are brought back with no page open. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  if (!process.env.RELIGHT_DIST) {
    // Next by itself listens everywhere and has no door.
    console.error("INVALID: Relight is served by `npm start` or `npm run dev`, not by next itself.");
    process.exit(1);
  }
  const { startPlayground } = await import("./lib/playground");
  await startPlayground();
}
