import type { Page } from "playwright/test";
import { cellOf as cell, expect, test } from "./fixtures";

/** Writes code into a cell, and runs it. */
async function runCode(page: Page, id: string, code: string): Promise<void> {
  const editor = cell(page, id).getByRole("textbox");
  await editor.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(code);
  await page.keyboard.press("ControlOrMeta+Enter");
}

test("Run all walks the whole notebook, and waits for the one press", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 1500 }));
  await page.getByRole("button", { name: "Run all" }).click();
  await expect(cell(page, "decide")).toContainText("waiting for you");
  await expect(cell(page, "answer")).toContainText("SKU-7: 3 in stock.");
  await expect(cell(page, "ran")).toContainText("check_stock: 2");
  await expect(cell(page, "interrupted")).toContainText("relight.run.interrupted");
  await expect(cell(page, "bank")).toContainText("queued");
  await cell(page, "decide").getByRole("button", { name: "Charge again" }).click();
  await expect(cell(page, "decide")).toContainText("Times charge_card ran: 2");
  await expect(cell(page, "bank")).toContainText("2 rows");
  await expect(page.getByTestId("charges")).toHaveText("2 charges");

  // Outputs outlive a reload; their kernel does not.
  await page.reload();
  await expect(cell(page, "answer")).toContainText("from earlier");
  await expect(cell(page, "answer")).toContainText("SKU-7: 3 in stock.");
});

test("cells that misbehave show something sensible, and leave the page usable", async ({ serve, open }) => {
  const page = await open(await serve());
  await runCode(page, "reset", "throw new TypeError('no')");
  await expect(cell(page, "reset")).toContainText("TypeError: no (line 1)");
  await runCode(
    page,
    "reset",
    "const a = {}; a.a = a; [a, 10n, new Map([[1, new Error('x')]]), Array(1e6).fill(7)]",
  );
  await expect(cell(page, "reset")).toContainText("[the same again]");
  await expect(cell(page, "reset")).toContainText("999,900 more");
  await runCode(page, "reset", "'x'.repeat(1e7)");
  await expect(cell(page, "reset")).toContainText("characters more are not shown");
  await runCode(page, "reset", "for (let i = 0; i < 1e4; i++) console.log(i)");
  await expect(cell(page, "reset")).toContainText("what it showed after 500 outputs is not kept");

  await runCode(page, "reset", "while (true) {}");
  await expect(cell(page, "reset")).toContainText("running");
  await cell(page, "reset").getByRole("button", { name: "Stop" }).click();
  await expect(cell(page, "reset")).toContainText("stopped · from earlier");
  await runCode(page, "reset", "await new Promise(() => {})");
  await expect(cell(page, "reset")).toContainText("running");
  await cell(page, "reset").getByRole("button", { name: "Stop" }).click();

  await cell(page, "reset").getByRole("button", { name: "Reset cell" }).click();
  await cell(page, "reset").getByRole("button", { name: "Run again" }).click();
  await expect(cell(page, "reset")).toContainText('status: "running"');
});

test("a decision made elsewhere spends the cell's buttons, and the notebook goes on", async ({
  serve,
  open,
}) => {
  const server = await serve({ toolMs: 1500 });
  const page = await open(server);
  await page.getByRole("button", { name: "Run all" }).click();
  await expect(cell(page, "decide")).toContainText("waiting for you");
  await expect(page.locator("p[aria-live=assertive]")).toContainText(
    "charge_card of acme/@maria/shop is in doubt",
  );
  const [inDoubt] = await server.client.interrupts.list("open");
  await server.client.interrupts.deny(inDoubt?.id ?? "", { reason: "I asked the bank." });
  await expect(cell(page, "decide")).toContainText("denied by owner");
  await expect(cell(page, "decide").getByRole("button", { name: "Charge again" })).toBeDisabled();
  await expect(cell(page, "bank")).toContainText("1 row");
});

test("nothing moves what is being read when outputs arrive above it", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 300 }));
  await runCode(page, "reset", "await sleep(1500); for (let i = 0; i < 80; i++) console.log(i)");
  const read = page.getByRole("heading", { name: "Restart it mid-charge" });
  await read.evaluate((element) => element.scrollIntoView({ block: "center" }));
  const top = async () => (await read.boundingBox())?.y ?? Number.NaN;
  const before = await top();
  await expect(cell(page, "reset")).toContainText("79");
  expect(Math.abs((await top()) - before)).toBeLessThan(2);
});
