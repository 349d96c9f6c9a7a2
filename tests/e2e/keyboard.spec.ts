import type { Page } from "playwright/test";
import { expect, test } from "./fixtures";

const cell = (page: Page, id: string) => page.getByRole("region", { name: `Cell ${id}`, exact: true });

/** Presses a key until what has the focus is it. */
async function press(page: Page, key: string, until: string): Promise<void> {
  for (let times = 0; times < 80; times++) {
    if (await page.evaluate((selector) => document.activeElement?.matches(selector) ?? false, until)) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} never came to ${until}`);
}

test("the whole notebook is walked by keyboard alone", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 800 }));
  await press(page, "Tab", "#cell-reset .cm-content");
  // Shift-Enter runs a cell and moves on to the next.
  for (const id of [
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
  ]) {
    await page.keyboard.press("Shift+Enter");
    await expect(cell(page, id)).toContainText("✓ done");
  }
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
