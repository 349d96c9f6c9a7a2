/** Makes sure that the runtime runs with the server, so that unfinished agents are brought back with no page open. */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME !== "nodejs") return;
  const { startWithNext } = await import("./lib/playground");
  await startWithNext();
}
