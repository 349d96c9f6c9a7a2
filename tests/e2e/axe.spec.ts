import { AxeBuilder } from "@axe-core/playwright";
import { ask, createAgent, expect, test } from "./fixtures";

for (const colorScheme of ["light", "dark"] as const) {
  for (const width of [360, 1440]) {
    test(`axe finds nothing serious: ${colorScheme}, ${width} px`, async ({ serve, open }) => {
      const server = await serve({ toolMs: 20_000 });
      const page = await open(server);
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 900 });
      const serious = async () => {
        const { violations } = await new AxeBuilder({ page }).analyze();
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
      };
      // On a narrow screen the control room is behind its bar.
      if (width < 1024) await page.getByRole("button", { name: /^Control room/ }).click();
      await createAgent(page);
      await ask(page, "Charge Maria's card $40 for order 1042.");
      await expect(page.getByText(/attempt 1 · /)).toBeVisible();
      await page.getByRole("button", { name: "Kill agent" }).click();
      await page.getByRole("button", { name: "It went through…" }).click();
      expect(await serious()).toEqual([]);
      // Nothing is wider than the page but what scrolls by itself.
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      await page.goto(server.url);
      await expect(page.getByRole("link", { name: "Pull the plug" })).toBeVisible();
      expect(await serious()).toEqual([]);
    });
  }
}
