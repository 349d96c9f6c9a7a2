import type { Page } from "playwright/test";
import { cellOf as cell, expect, test } from "./fixtures";

/** Presses a key until what has the focus is it. */
async function press(page: Page, key: string, until: string): Promise<void> {
  for (let times = 0; times < 80; times++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, until)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never came to ${until}`);
}

/** Shift-Enter runs a cell and moves on to the next. */
async function walk(page: Page, ids: string[]): Promise<void> {
  // Editors come one after the other, once the page has a moment.
  await expect(page.locator(".cm-content")).toHaveCount(await page.locator("[id^=cell-]").count());
  await press(page, "Tab", `#cell-${ids[0]} .cm-content`);
  for (const id of ids) {
    await page.keyboard.press("Shift+Enter");
    await expect(cell(page, id)).toContainText("✓ done", { timeout: 40_000 });
  }
}

test("“Pull the plug” is walked by keyboard alone", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 1500 }));
  await walk(page, [
    "reset",
    "define",
    "tools",
    "kill",
    "answer",
    "ran",
    "events",
    "charge",
    "interrupted",
    "doubt",
  ]);
  await page.keyboard.press("Shift+Enter");
  await expect(cell(page, "decide")).toContainText("waiting for you");
  await press(page, "Shift+Tab", "#cell-decide button");
  await expect(page.locator(":focus")).toHaveText("Charge again");
  await page.keyboard.press("Shift+Tab");
  await expect(page.locator(":focus")).toHaveText("It went through");
  await page.keyboard.press("Enter");
  await expect(cell(page, "decide")).toContainText("Times charge_card ran: 1");
  await press(page, "Tab", "#cell-bank .cm-content");
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(cell(page, "bank")).toContainText("1 row");

  // The keys are listed, and the list goes away again.
  await press(page, "Tab", "#cell-bank button, aside *, a");
  await page.keyboard.press("?");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("dialog", { name: "Keys" })).toBeHidden();
});

test("“Take over” is walked by keyboard alone, and a worker is killed by it", async ({ serve, open }) => {
  test.setTimeout(120_000);
  const page = await open(await serve({ toolMs: 500 }), "take-over");
  await walk(page, [
    "keys",
    "open",
    "work",
    "die",
    "lapsed",
    "plan",
    "wake",
    "terminal",
    "takeover",
    "cluster",
  ]);
  await expect(cell(page, "cluster")).toContainText("evicted: 4");
  const worker = page.getByRole("button", { name: "Kill worker-2" });
  await worker.focus();
  await page.keyboard.press("Enter");
  await expect(worker).toBeDisabled();
});
