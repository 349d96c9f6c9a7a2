import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test as base, expect, type Page } from "playwright/test";
import { Server, type ServerOptions } from "../server";

export { expect } from "playwright/test";

/** What the browser may complain of where a test takes its server away. */
const NETWORK =
  /Failed to load resource|ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/;

interface Fixtures {
  /** Starts a server on the test's directory; again after it was killed. */
  serve(options?: ServerOptions): Promise<Server>;
  /** Opens a notebook of a server in a tab of its own; a console error or warning fails the test. */
  open(server: Server, slug?: string): Promise<Page>;
}

export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are asked for from the pattern
  serve: async ({}, use) => {
    const dir = mkdtempSync(join(tmpdir(), "relight-e2e-"));
    const servers: Server[] = [];
    await use(async (options) => {
      const server = await Server.start(join(dir, "data"), options);
      servers.push(server);
      return server;
    });
    for (const server of servers) await server.kill();
    rmSync(dir, { recursive: true, force: true });
  },
  open: async ({ context }, use) => {
    const complaints: string[] = [];
    await use(async (server, slug = "pull-the-plug") => {
      const page = await context.newPage();
      page.on("console", (message) => {
        if (!["error", "warning"].includes(message.type()) || NETWORK.test(message.text())) return;
        complaints.push(message.text());
      });
      page.on("pageerror", (error) => complaints.push(error.message));
      await page.goto(`${server.url}/notebooks/${slug}`);
      await expect(page.getByText(/live · event/)).toBeVisible();
      return page;
    });
    expect(complaints).toEqual([]);
  },
});

export async function ask(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox", { name: "Ask" }).fill(text);
  await page.getByRole("button", { name: "Ask", exact: true }).click();
}

export const cellOf = (page: Page, id: string) =>
  page.getByRole("region", { name: `Cell ${id}`, exact: true });

export const createAgent = (page: Page): Promise<void> =>
  page.getByRole("button", { name: "Create acme/@maria/shop" }).click();
