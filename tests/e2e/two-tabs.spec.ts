import { ask, createAgent, expect, test } from "./fixtures";

test("two tabs show the same, and a decision in one is at once in the other", async ({ serve, open }) => {
  const server = await serve({ toolMs: 20_000 });
  const [one, two] = [await open(server), await open(server)];
  await createAgent(one);
  await ask(two, "Charge Maria's card $40 for order 1042.");
  await expect(one.getByText(/attempt 1 · /)).toBeVisible();
  await one.getByRole("button", { name: "Kill agent" }).click();
  for (const tab of [one, two]) await expect(tab.getByText("In doubt: a person must say")).toBeVisible();

  await two.getByRole("button", { name: "It went through…" }).click();
  await two.getByRole("button", { name: "Tell the agent" }).click();
  await expect(one.getByText("Denied: not charged again, by owner")).toBeVisible();
  await expect(one.getByRole("button", { name: "Charge again" })).toHaveCount(0);
  for (const tab of [one, two]) {
    await expect(tab.getByTestId("answer")).toHaveText("It went through. I checked the bank.");
  }
  const rows = (tab: typeof one) =>
    tab.getByRole("region", { name: "Event log" }).getByRole("row").allTextContents();
  await expect(async () => expect(await rows(one)).toEqual(await rows(two))).toPass();
});

test("a button that somebody else was quicker with says who decided", async ({ serve, open }) => {
  const server = await serve({ toolMs: 20_000 });
  const page = await open(server);
  await createAgent(page);
  await ask(page, "Charge Maria's card $40 for order 1042.");
  await expect(page.getByText(/attempt 1 · /)).toBeVisible();
  await page.getByRole("button", { name: "Kill agent" }).click();
  await expect(page.getByText("In doubt: a person must say")).toBeVisible();
  // The page hears nothing of it before it presses.
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/approve", async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole("button", { name: "Charge again" }).click();
  const [inDoubt] = await server.client.interrupts.list("open");
  await server.client.interrupts.deny(inDoubt?.id ?? "", { reason: "Maria says that it went through." });
  release();
  await expect(page.getByText("Denied: not charged again, by owner")).toBeVisible();
  await expect(page.getByText("Maria says that it went through.").first()).toBeVisible();
  expect((await server.client.world()).toolRuns).toEqual({ charge_card: 1 });
});

test("a reset asks once, then proves itself, in every tab", async ({ serve, open }) => {
  const server = await serve({ toolMs: 200 });
  const [one, two] = [await open(server), await open(server)];
  await createAgent(one);
  await ask(one, "Charge Maria's card $40 for order 1042.");
  await expect(two.getByTestId("answer")).toHaveText("Charged $40.");
  await one.getByRole("button", { name: "Reset" }).click();
  await one.getByRole("button", { name: "Keep it" }).click();
  await expect(two.getByTestId("charges")).toHaveText("1 charge");

  await one.getByRole("button", { name: "Reset" }).click();
  await one.getByRole("button", { name: "Throw away and start fresh" }).click();
  await expect(one.getByText("Reset: 0 events, 0 runs, 0 charges, no agent process.")).toBeVisible();
  await one.getByRole("button", { name: "Close" }).click();
  for (const tab of [one, two]) {
    await expect(tab.getByText("0 events. The log is empty.")).toBeVisible();
    await expect(tab.getByTestId("charges")).toHaveText("0 charges");
  }
  // And it can all be done again.
  await createAgent(two);
  await ask(one, "How many SKU-7 do we have?");
  await expect(two.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");
});

test("stopped on purpose, the page says so, keeps what is asked, and goes on when started", async ({
  serve,
  open,
}) => {
  const page = await open(await serve({ toolMs: 200 }));
  await createAgent(page);
  await page.getByRole("button", { name: "Stop runtime" }).click();
  await expect(page.getByText("The runtime was stopped on purpose")).toBeVisible();
  await page.getByRole("button", { name: "Kill agent" }).click();
  await expect(page.getByText(/NOT_RUNNING: .* has no process/)).toBeVisible();
  await ask(page, "How many SKU-7 do we have?");
  await expect(page.getByText("1 ask waiting")).toBeVisible();
  await page.getByRole("button", { name: "Start runtime" }).click();
  await expect(page.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");
});
