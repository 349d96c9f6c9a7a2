import { AxeBuilder } from "@axe-core/playwright";
import { cellOf as cell, expect, test } from "./fixtures";

test("Run all walks “Take over”; the control room shows the lease, the checkpoint and what changed", async ({
  serve,
  open,
}) => {
  test.setTimeout(120_000);
  const page = await open(await serve({ toolMs: 500 }), "take-over");
  const room = page.getByRole("complementary", { name: "Control room" });
  await page.getByRole("button", { name: "Run all" }).click();

  // Nothing sweeps: out, the lease is still its dead owner's.
  await expect(room.getByText("lapsed, and still its owner's")).toBeVisible();
  await expect(room.getByText(/^apikey:remediator\/worker-2 was refused at/)).toBeVisible();
  await expect(cell(page, "wake")).toContainText("eviction caused a second outage on node-4");
  await expect(cell(page, "takeover")).toContainText("displaced apikey:remediator/worker-1, fence 1");
  await expect(cell(page, "cluster")).toContainText("evicted: 4");
  await expect(cell(page, "ignored")).toContainText("evicted: 11", { timeout: 40_000 });
  await expect(cell(page, "zombie")).toContainText("SUPERSEDED", { timeout: 40_000 });
  await expect(cell(page, "eleven")).toContainText("evicted: 11", { timeout: 40_000 });
  await expect(cell(page, "history")).toContainText("field.taken_over");
  await expect(room.getByTestId("evicted")).toHaveText("11 evicted, 0 left, cordoned");
  await expect(
    page.getByRole("button", { name: /^The lease on remediation, fence 2: taken over/ }),
  ).toBeVisible();

  // The past is shown as it was: no worker 2 yet, and the cluster whole.
  await page.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(room.getByRole("button", { name: "Kill worker-2" })).toBeHidden();
  await expect(room.getByTestId("evicted")).toBeHidden();
});

for (const [colorScheme, width] of [
  ["light", 360],
  ["dark", 1440],
] as const) {
  test(`axe finds nothing serious in “Take over”: ${colorScheme}, ${width} px`, async ({ serve, open }) => {
    const server = await serve({ toolMs: 20_000 });
    const page = await open(server, "take-over");
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 900 });
    const [key] = await server.client.keys();
    await server.client
      .records({ token: key?.token })
      .create("incidents/inc-111", { planned_action: "drain node-7" });
    await server.client.workers.start({ name: "worker-1", scenario: "drain" });
    if (width < 1024) await page.getByRole("button", { name: /^Control room/ }).click();
    await expect(page.getByText(/ s left$/)).toBeVisible();
    const { violations } = await new AxeBuilder({ page }).analyze();
    const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
    expect(serious.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  });
}
