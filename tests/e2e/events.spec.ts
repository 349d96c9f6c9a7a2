import type { Page } from "playwright/test";
import { AGENT, type Server } from "../server";
import { ask, expect, test } from "./fixtures";

const region = (page: Page) => page.getByRole("region", { name: "Event log" });
const row = (page: Page, sequence: number) =>
  region(page).getByRole("button", { name: `Event ${sequence}`, exact: true });
const types = (page: Page) => region(page).locator("td:nth-child(3)").allTextContents();

/** The newest event's number; every definition of an agent is one event more. */
const head = async ({ client }: Server) => (await client.events.list()).cursor;

async function addEvents(server: Server, count: number): Promise<number> {
  for (let added = 0; added < count; added++) await server.define();
  return head(server);
}

/** What is on the screen, in the region, from its upper edge. */
const topOf = async (page: Page, sequence: number): Promise<number> => {
  const [outer, inner] = await Promise.all([region(page).boundingBox(), row(page, sequence).boundingBox()]);
  return (inner?.y ?? Number.NaN) - (outer?.y ?? 0);
};

const fromEnd = (page: Page) =>
  region(page).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);

test("the log is filtered by kind and by type, and each choice says how much there is of it", async ({
  serve,
  open,
}) => {
  const server = await serve({ toolMs: 50 });
  const page = await open(server);
  await server.define();
  await page.getByRole("textbox", { name: "Ask" }).fill("How many SKU-7 do we have?");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect(page.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");

  const filter = page.getByLabel("Types of events");
  await filter.selectOption("calls");
  await expect.poll(() => types(page)).toEqual(["call.started", "call.completed"]);
  await expect(filter.locator("option:checked")).toHaveText("calls (2)");
  await filter.selectOption("processes");
  await expect.poll(() => types(page)).toEqual(["runtime.started", "agent.started"]);
  await filter.selectOption("interrupts");
  await expect(page.getByText("No event of this kind.")).toBeVisible();
  await filter.selectOption("relight.agent.defined");
  await expect.poll(() => types(page)).toEqual(["agent.defined"]);

  await server.define();
  await expect.poll(() => types(page)).toEqual(["agent.defined", "agent.defined"]);
});

test("paused, the rows stay as they are and the news is counted; Resume shows it", async ({
  serve,
  open,
}) => {
  const server = await serve();
  const page = await open(server);
  const before = await addEvents(server, 3);
  await expect(row(page, before)).toBeVisible();
  await page.getByRole("button", { name: "Pause" }).click();
  await expect(page.getByText("paused, 0 new")).toBeVisible();
  const after = await addEvents(server, 12);
  await expect(page.getByText("paused, 12 new")).toBeVisible();
  await expect(row(page, after)).toHaveCount(0);
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(row(page, after)).toBeInViewport();
  await expect(page.getByText(/^paused/)).toHaveCount(0);
});

test("whoever reads the newest row goes on to the next; whoever scrolled up stays, and is told", async ({
  serve,
  open,
}) => {
  const server = await serve();
  const page = await open(server);
  let last = await addEvents(server, 60);
  await expect(row(page, last)).toBeInViewport();
  last = await addEvents(server, 5);
  await expect(row(page, last)).toBeInViewport();

  await region(page).hover();
  await page.mouse.wheel(0, -500);
  await expect.poll(() => fromEnd(page)).toBeGreaterThan(400);
  const read = last - 24;
  await expect(row(page, read)).toBeInViewport();
  const top = await topOf(page, read);
  last = await addEvents(server, 7);
  const jump = page.getByRole("button", { name: "7 new" });
  await expect(jump).toBeVisible();
  expect(await topOf(page, read)).toBe(top);
  // Said once for what came within some seconds, so how many it says is a matter of time.
  await expect(page.getByText(/^\d+ new events?$/)).toBeAttached();

  await jump.click();
  await expect(row(page, last)).toBeInViewport();
  await expect(jump).toHaveCount(0);
  await expect(region(page)).toBeFocused();
  last = await addEvents(server, 1);
  await expect(row(page, last)).toBeInViewport();
});

test("an open row stays where it is, open and focused, while new rows come", async ({ serve, open }) => {
  const server = await serve();
  const page = await open(server);
  const last = await addEvents(server, 60);
  await row(page, last).click();
  await expect(row(page, last)).toHaveAttribute("aria-expanded", "true");
  await expect(region(page).locator("pre")).toContainText(`"sequence": ${last}`);
  await expect(region(page).locator("pre")).toContainText(AGENT);
  const top = await topOf(page, last);
  await addEvents(server, 40);
  await expect(page.getByRole("button", { name: "40 new" })).toBeVisible();
  expect(await topOf(page, last)).toBe(top);
  await expect(row(page, last)).toBeFocused();

  // Far away it is still the row that has the focus, and still open.
  await page.getByRole("button", { name: "40 new" }).click();
  await expect(row(page, last + 40)).toBeInViewport();
  await expect(row(page, last)).toHaveAttribute("aria-expanded", "true");
});

test("the rows are one stop of Tab, and arrow keys go through all of them", async ({ serve, open }) => {
  const server = await serve();
  const page = await open(server);
  const last = await addEvents(server, 150);
  await expect(row(page, last)).toBeInViewport();
  await region(page).focus();
  await page.keyboard.press("Tab");
  await expect(row(page, last)).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(row(page, last - 1)).toBeFocused();
  await page.keyboard.press("Home");
  await expect(row(page, 1)).toBeFocused();
  await expect(row(page, 1)).toBeInViewport();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(row(page, 2)).toHaveAttribute("aria-expanded", "true");
  await page.keyboard.press("End");
  await expect(row(page, last)).toBeFocused();
  await expect(row(page, last)).toBeInViewport();
});

test("an event is chosen in the timeline or by its row; the URL holds it, and leads to it", async ({
  serve,
  open,
}) => {
  const server = await serve({ toolMs: 50 });
  const page = await open(server);
  await server.define();
  await ask(page, "How many SKU-7 do we have?");
  await expect(page.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");
  await addEvents(server, 300);
  // What was chosen is shown whatever the filter says.
  await page.getByLabel("Types of events").selectOption("relight.agent.defined");
  const bar = page.getByRole("button", { name: /^check_stock, attempt 1: started/ });
  const sequence = Number(/Event (\d+)/.exec((await bar.getAttribute("aria-label")) ?? "")?.[1]);
  await bar.focus();
  await page.keyboard.press("Enter");
  await expect(row(page, sequence)).toBeInViewport();
  await expect(region(page)).toContainText('"type": "relight.call.started"');
  await expect(page).toHaveURL(new RegExp(`[?]event=${sequence}$`));

  await page.reload();
  await expect(row(page, sequence)).toBeInViewport();
  await expect(row(page, sequence)).toHaveAttribute("aria-expanded", "true");
  await row(page, sequence).click();
  await expect(page).not.toHaveURL(/event=/);
});
