import { ask, createAgent, expect, test } from "./fixtures";

test("the log is scrubbed: the control room shows what was so, and what recovery would do", async ({
  serve,
  open,
}) => {
  const page = await open(await serve({ toolMs: 400 }));
  await createAgent(page);
  await ask(page, "Charge Maria's card $40 for order 1042.");
  await expect(page.getByTestId("answer")).toHaveText("Charged $40.");
  await expect(page.getByText("1 charge", { exact: true })).toBeVisible();

  const slider = page.getByRole("slider");
  await slider.focus();
  const seen: string[] = [];
  const room = page.getByRole("complementary", { name: "Control room" });
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press("ArrowLeft");
    seen.push((await room.getByText(/^If it crashed here: /).allTextContents()).join(" "));
  }
  expect(seen.join("\n")).toContain("charge_card waits for a person.");
  expect(seen.join("\n")).toContain("the model is asked.");
  expect(seen.join("\n")).toContain("the run of the next ask begins.");
  // So far back, the bank had nothing yet, and nothing can be done about it.
  await expect(page.getByTestId("charges")).toHaveText("0 charges");
  await expect(page.getByTestId("tool-runs")).toHaveText("No tool ran yet.");
  const log = room.getByRole("region", { name: "Event log" });
  const at = /\d+/.exec((await room.getByText(/^As of event/).textContent()) ?? "")?.[0];
  await expect(log.getByRole("button").last()).toHaveAccessibleName(`Event ${at}`);
  await page.getByRole("button", { name: "Back to now" }).click();
  await expect(page.getByTestId("charges")).toHaveText("1 charge");
  await expect(log.getByText("run.completed")).toBeVisible();
  await expect(room.getByText("If it crashed here: nothing happens.")).toBeVisible();
});
