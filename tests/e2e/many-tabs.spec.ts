import type { Page } from "playwright/test";
import { ask, createAgent, expect, test } from "./fixtures";

test("seven tabs share one stream, and go on when the tab that reads it is closed", async ({
  serve,
  open,
  context,
}) => {
  const server = await serve({ toolMs: 100 });
  const streams: string[] = [];
  context.on("request", (request) => {
    if (request.url().includes("/api/events?")) streams.push(request.url());
  });
  const tabs: Page[] = [];
  for (let tab = 0; tab < 7; tab++) tabs.push(await open(server));
  expect(streams).toHaveLength(1);

  const last = tabs[6] as Page;
  await createAgent(last);
  await ask(last, "How many SKU-7 do we have?");
  for (const tab of tabs) await expect(tab.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");

  // The first tab leads; another one takes over where it stood.
  await tabs.shift()?.close();
  await ask(last, "How many SKU-9 do we have?");
  for (const tab of tabs) await expect(tab.getByTestId("answer")).toHaveText("SKU-9: 3 in stock.");
  const numbers = await last.getByRole("region", { name: "Event log" }).getByRole("button").allTextContents();
  expect(numbers.map((text) => Number(text.replace(/\D/g, "")))).toEqual(
    numbers.map((_, index) => index + 1),
  );
});
