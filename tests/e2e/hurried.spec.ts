/** What hurried readers do: press twice, open two tabs, look at the past while the present is thrown away. */
import { ask, cellOf as cell, createAgent, expect, test } from "./fixtures";

test("a double click on “Charge again” decides one charge, not the next one too", async ({ serve, open }) => {
  const server = await serve({ toolMs: 20_000 });
  const page = await open(server);
  const cursor = (await server.client.events.head()).cursor;
  for (const name of ["acme/@maria/one", "acme/@maria/two"]) {
    const agent = await server.client.define(name, {
      model: "scripted:shop",
      instructions: "",
      tools: ["shop"],
    });
    await agent.ask("Charge Maria's card $40 for order 1042.");
    await agent.running({ after: cursor });
    await agent.kill();
    await agent.runEnd({ after: cursor });
  }
  const first = page.getByRole("button", { name: "Charge again" }).first();
  await expect(page.getByRole("button", { name: "Charge again" })).toHaveCount(2);
  const box = await first.boundingBox();
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 10];
  await page.mouse.click(x, y);
  await expect(page.getByText("Approved: charged again, by owner")).toBeVisible();
  await page.mouse.click(x, y);
  await expect(page.getByRole("button", { name: "Charge again" })).toHaveCount(1);
  expect(await server.client.interrupts.list("open")).toHaveLength(1);
});

test("Run pressed twice runs the cell once, and stops nothing", async ({ serve, open }) => {
  const page = await open(await serve());
  const run = cell(page, "reset").getByRole("button", { name: "▶ Run" });
  await run.dblclick();
  await expect(cell(page, "reset")).toContainText("✓ done");
  await expect(cell(page, "reset")).not.toContainText("from earlier");
});

test("whoever looks at the past is back in the present when its log is thrown away", async ({
  serve,
  open,
}) => {
  const server = await serve({ toolMs: 50 });
  const page = await open(server);
  await createAgent(page);
  await ask(page, "How many SKU-7 do we have?");
  await expect(page.getByTestId("answer")).toBeVisible();
  await page.getByRole("slider").focus();
  await page.keyboard.press("Home");
  await expect(page.getByText(/^As of event/)).toBeVisible();
  await server.client.reset();
  await server.define();
  await expect(page.getByText(/^Now, event/)).toBeVisible();
  await expect(page.getByText("acme/@maria/shop", { exact: true })).toBeVisible();
});

test("two tabs of one notebook keep each other's edits", async ({ serve, open }) => {
  const server = await serve();
  const [one, two] = [await open(server), await open(server)];
  const editor = cell(one, "bank").getByRole("textbox");
  await editor.click();
  await one.keyboard.press("ControlOrMeta+End");
  await one.keyboard.insertText("// mine");
  const kept = () => one.evaluate(() => JSON.stringify(localStorage));
  await expect.poll(kept).toContain("// mine");
  await cell(two, "reset").getByRole("button", { name: "▶ Run" }).click();
  await expect(cell(two, "reset")).toContainText("✓ done");
  await expect.poll(kept).toContain("discoveryIntervalMs");
  await one.reload();
  await expect(cell(one, "bank")).toContainText("// mine");
  await expect(cell(one, "reset")).toContainText("from earlier");
});

test("a lease that lapsed while the past was looked at has lapsed", async ({ serve, open }) => {
  const server = await serve({ toolMs: 20_000 });
  const page = await open(server, "take-over");
  const [key] = await server.client.keys();
  await server.client.records({ token: key?.token }).create("incidents/inc-111", { planned_action: "drain" });
  const worker = await server.client.workers.start({ name: "worker-1", scenario: "drain" });
  await expect(page.getByText(/held, \d/)).toBeVisible();
  await worker.kill();
  await page.getByRole("slider").focus();
  await page.keyboard.press("Home");
  const lapsed = async () =>
    (await server.client.records().get("incidents/inc-111")).fields.remediation?.lease?.state;
  await expect.poll(lapsed).toBe("lapsed");
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page.getByText("lapsed, and still its owner's")).toBeVisible();
});
