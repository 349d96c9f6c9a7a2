/** Starts the runtime with the server, so that unfinished agents are brought back with no page open. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startPlayground } = await import("./lib/playground");
  await startPlayground();
}
