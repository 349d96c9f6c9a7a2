import { ask, createAgent, expect, test } from "./fixtures";

const STOCK = "How many SKU-7 do we have?";
const CHARGE = "Charge Maria's card $40 for order 1042.";

test("killed mid-lookup, the agent answers all the same", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 4000 }));
  await createAgent(page);
  await ask(page, STOCK);
  await expect(page.getByText(/attempt 1 · .* of 4\.0 s/)).toBeVisible();
  const pid = (await page.getByText(/^kill -9 \d+/).textContent()) ?? "";
  await page.getByRole("button", { name: "Kill agent" }).click();
  await expect(page.getByText(/Killed pid \d+ with SIGKILL, \d\.\d s into check_stock\./)).toBeVisible();
  await expect(page.getByText(/attempt 2 · .* of 4\.0 s/)).toBeVisible();
  await expect(page.getByText(/^kill -9 \d+/)).not.toHaveText(pid);
  await expect(page.getByTestId("answer")).toHaveText("SKU-7: 3 in stock.");
  await expect(page.getByTestId("tool-runs")).toHaveText("check_stock ran 2×");

  const types = await page
    .getByRole("region", { name: "Event log" })
    .locator("td:nth-child(3)")
    .allTextContents();
  const told = ["call.started", "agent.crashed"];
  expect(types.filter((type) => told.includes(type))).toEqual([
    "call.started",
    "agent.crashed",
    "call.started",
  ]);
});

test("restarted mid-charge, it waits: “It went through” settles it in the person's words", async ({
  serve,
  open,
}) => {
  const page = await open(await serve({ toolMs: 5000 }));
  await createAgent(page);
  await ask(page, CHARGE);
  // The bank has booked it, and the tool has not answered yet.
  await expect(page.getByTestId("charges")).toHaveText("1 charge");
  await page.getByRole("button", { name: "Restart runtime" }).click();
  const card = page.getByRole("region", { name: "In doubt: a person must say" });
  await expect(card).toContainText("charge_card $40, order 1042");
  await expect(card).toContainText("runtime stopped");
  await expect(page.getByText("started, outcome unknown; waits for a person")).toBeVisible();

  await card.getByRole("button", { name: "It went through…" }).click();
  const reason = card.getByRole("textbox");
  await reason.fill("");
  await expect(card.getByRole("button", { name: "Tell the agent" })).toBeDisabled();
  await reason.fill("It went through. The bank's statement has it.");
  await card.getByRole("button", { name: "Tell the agent" }).click();
  await expect(page.getByTestId("answer")).toHaveText("It went through. The bank's statement has it.");
  await expect(page.getByText("Denied: not charged again, by owner")).toBeVisible();
  await expect(page.getByTestId("charges")).toHaveText("1 charge");
  await expect(page.getByTestId("tool-runs")).toHaveText("charge_card ran 1×");
});

test("“Charge again” charges a second time, once", async ({ serve, open }) => {
  const page = await open(await serve({ toolMs: 5000 }));
  await createAgent(page);
  await ask(page, CHARGE);
  await expect(page.getByTestId("charges")).toHaveText("1 charge");
  await page.getByRole("button", { name: "Restart runtime" }).click();
  await page.getByRole("button", { name: "Charge again" }).click();
  await expect(page.getByTestId("answer")).toHaveText("Charged $40.");
  await expect(page.getByTestId("charges")).toHaveText("2 charges");
  await expect(page.getByText("Approved: charged again, by owner")).toBeVisible();
});

test("the server is killed and started again: the page says so, finds it, and the run goes on", async ({
  serve,
  open,
}) => {
  const first = await serve({ toolMs: 20_000 });
  const page = await open(first);
  await createAgent(page);
  await ask(page, CHARGE);
  await expect(page.getByText(/attempt 1 · /)).toBeVisible();
  await first.kill();
  await expect(page.getByText("reconnecting: server gone")).toBeVisible();
  await serve({ toolMs: 200, args: ["--port", new URL(first.url).port] });
  await expect(page.getByText(/live · event/)).toBeVisible();
  await page.getByRole("button", { name: "Charge again" }).click();
  await expect(page.getByTestId("answer")).toHaveText("Charged $40.");
  const numbers = await page.getByRole("region", { name: "Event log" }).getByRole("button").allTextContents();
  expect(numbers.map((text) => Number(text.replace(/\D/g, "")))).toEqual(
    numbers.map((_, index) => index + 1),
  );
});
