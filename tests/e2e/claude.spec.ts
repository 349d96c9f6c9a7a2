import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright/test";
import { MessagesApi } from "../fixtures/messages-api";
import { call, fail, gate, say, text, use } from "../fixtures/messages-replies";
import { keyOf } from "../fixtures/messages-rules";
import { AGENT, type Server } from "../server";
import { ask, test as base, cellOf as cell, expect } from "./fixtures";

const MODEL = "anthropic:claude-haiku-4-5";
const KEY = "sk-ant-e2e-distinct-5c0ffee";
const STOCK = "How many SKU-7 do we have?";

interface Claude {
  api: MessagesApi;
  /** A server whose Messages API is `api`; with no key in its environment, unless one is given. */
  claude(options?: { key?: string; toolMs?: number }): Promise<Server>;
}

const test = base.extend<Claude>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads which fixtures are asked for from the pattern
  api: async ({}, use) => {
    const api = await MessagesApi.start();
    await use(api);
    api.close();
    expect(api.complaints).toEqual([]);
  },
  claude: async ({ serve, api }, use) => {
    await use(({ key = "", toolMs = 200 } = {}) =>
      serve({ toolMs, env: { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: key } }),
    );
  },
});

const define = (server: Server) =>
  server.client.define(AGENT, { model: MODEL, instructions: "You run Maria's shop.", tools: ["shop"] });
const answer = (page: Page) => page.getByTestId("answer");

/** Sets a key by keyboard alone. The dialog stays open. */
async function typeKey(page: Page, key: string): Promise<void> {
  await page.getByRole("button", { name: "Secrets" }).focus();
  await page.keyboard.press("Enter");
  const field = page.getByLabel("Anthropic API key");
  while (!(await field.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("Tab");
  await page.keyboard.type(key);
  await page.keyboard.press("Enter");
  await expect(field).toHaveValue("");
}

test("“Pull the plug” on Claude, by Run all, with the panel's key", async ({ api, claude, open }) => {
  const page = await open(await claude({ toolMs: 1500 }));
  const picker = page.getByLabel("relight.model");
  await expect(picker).toHaveValue("scripted:shop");
  await typeKey(page, KEY);
  await page.keyboard.press("Escape");
  await expect(picker).toHaveValue(MODEL);
  await page.getByRole("button", { name: "Run all" }).click();
  await expect(cell(page, "decide")).toContainText("waiting for you");
  await expect(cell(page, "answer")).toContainText("SKU-7: 3 in stock.");
  await expect(cell(page, "ran")).toContainText("check_stock: 2");
  await expect(cell(page, "interrupted")).toContainText("relight.run.interrupted");
  await cell(page, "decide").getByRole("button", { name: "It went through" }).click();
  await expect(cell(page, "decide")).toContainText("Times charge_card ran: 1");
  await expect(cell(page, "bank")).toContainText("1 row");

  await expect(page.getByText(`Answer (${MODEL})`)).toBeVisible();
  await expect(answer(page)).toHaveText("It went through. I checked the bank.");
  await expect(page.getByText(/^200 tokens in, 40 out; \$0\.0004 at the prices of \d{4}-/)).toBeVisible();
  expect(api.requests.map(({ body }) => body.model)).toEqual(Array(4).fill("claude-haiku-4-5"));
  expect(api.requests.map(({ headers }) => keyOf(headers))).toEqual(Array(4).fill(KEY));
});

test("the Secrets dialog by keyboard: a key is set, replaced and forgotten, and is in no part of the page", async ({
  claude,
  open,
}) => {
  const server = await claude();
  const page = await open(server);
  const dialog = page.getByRole("dialog", { name: "The key to Claude" });
  const keyIsNowhere = async () => {
    const kept = await page.evaluate(() => {
      const inputs = [...document.querySelectorAll("input, textarea")] as HTMLInputElement[];
      const values = inputs.map(({ value }) => value);
      return [
        document.documentElement.outerHTML,
        ...values,
        { ...localStorage },
        { ...sessionStorage },
        document.cookie,
      ];
    });
    expect(JSON.stringify(kept)).not.toContain(KEY);
    expect(page.url()).not.toContain(KEY);
  };
  await typeKey(page, KEY);
  await expect(dialog.getByRole("status")).toHaveText("There is a key, from this panel.");
  await keyIsNowhere();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeHidden();
  await page.reload();
  await typeKey(page, `${KEY}-again`);
  await expect(dialog.getByRole("button", { name: "Replace" })).toBeVisible();
  await keyIsNowhere();
  // What was typed and not sent is gone with the dialog.
  await page.keyboard.type(KEY);
  await page.keyboard.press("Escape");
  await keyIsNowhere();

  await page.getByRole("button", { name: "Secrets" }).press("Enter");
  const forget = dialog.getByRole("button", { name: "Forget it" });
  while (!(await forget.evaluate((element) => element === document.activeElement)))
    await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(dialog.getByRole("status")).toHaveText("There is no key. The scripted model needs none.");
  await expect(forget).toHaveCount(0);
  expect(await server.client.secrets.anthropic()).toEqual({ present: false, source: null });
  await keyIsNowhere();
});

test("what it says is seen as it comes, also that it is overloaded, was killed, was cut or refused", async ({
  api,
  claude,
  open,
}) => {
  const server = await claude({ key: KEY });
  await define(server);
  const page = await open(server);
  const speech = page.getByTestId("speech");
  const [first, never, last] = [gate(), gate(), gate()];
  api.reply(
    fail(529, { "retry-after-ms": "3000" }),
    say("There are three of them on the shelf.", { holds: [{ after: 7, until: first.opened }] }),
  );
  await ask(page, STOCK);
  await expect(page.getByText(/^overloaded, trying again in \d s\.$/)).toBeVisible();
  await expect(speech).toHaveText(/^There are three/);
  await expect(page.getByText("Turn 1, as it is spoken; not saved yet.")).toBeVisible();
  await expect(answer(page)).toHaveCount(0);
  first.open();
  await expect(answer(page)).toHaveText("There are three of them on the shelf.");
  await expect(speech).toHaveCount(0);

  // Killed while it speaks, it is asked again; nothing of what was said before is shown.
  api.reply(
    say("It was the best.", { holds: [{ after: 7, until: never.opened }] }),
    say("No, it was the worst of times.", { holds: [{ after: 11, until: last.opened }] }),
  );
  await ask(page, "How was it?");
  await expect(speech).toHaveText(/^It was/);
  await page.getByRole("button", { name: "Kill agent" }).click();
  await expect(page.getByText("nothing of that was saved")).toBeVisible();
  await expect(speech).toHaveText("No, it was the worst of times.");
  last.open();
  await expect(answer(page)).toHaveText("No, it was the worst of times.");

  api.reply(say("Once upon a", { stop: "max_tokens" }), say("I", { stop: "refusal" }));
  await ask(page, "Tell me a story.");
  await expect(page.getByText("Cut off: the model reached the most tokens of a turn.")).toBeVisible();
  await ask(page, "Tell me another.");
  await expect(page.getByText("The model refused to answer.")).toBeVisible();
});

test("without a key the page says what to do: a key and Retry, or the scripted model", async ({
  api,
  claude,
  open,
}) => {
  const server = await claude();
  await define(server);
  const page = await open(server);
  await ask(page, STOCK);
  await expect(answer(page)).toContainText("NO_KEY: anthropic:claude-haiku-4-5 needs a key");
  await expect(answer(page)).toContainText("Secrets panel");
  await page.getByRole("button", { name: "Use the scripted model" }).click();
  await expect(page.getByText("The scripted model answers from the next ask on.")).toBeVisible();
  await ask(page, STOCK);
  await expect(page.getByText("Answer (scripted model)")).toBeVisible();
  await expect(answer(page)).toHaveText("SKU-7: 3 in stock.");
  expect(api.requests).toHaveLength(0);

  await define(server);
  await ask(page, STOCK);
  await expect(answer(page)).toContainText("NO_KEY");
  await typeKey(page, KEY);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Retry" }).click();
  await expect(page.getByText(`Answer (${MODEL})`)).toBeVisible();
  await expect(answer(page)).toHaveText("SKU-7: 3 in stock.");
  await expect(page.getByRole("button", { name: "Retry" })).toHaveCount(0);
});

test("hostile text of a model and of a tool is text: nothing is injected, fetched or run", async ({
  api,
  claude,
  open,
}) => {
  const fetched: string[] = [];
  const attacker = createServer((request, response) => {
    fetched.push(request.url ?? "");
    response.end();
  }).listen(0, "127.0.0.1");
  await once(attacker, "listening");
  const url = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`;
  const hostile = [
    `<img class="injected" src="${url}/html" onerror="document.title='run'"><script>document.title='run'</script>`,
    `![image](${url}/markdown) [link](javascript:document.title='run')`,
    "```mermaid\nflowchart LR\n injected --> b\n```",
    "\u001b[31mred\u001b[0m \u0000 \u202egnirts\u202c \u2066x",
    "x".repeat(300_000),
  ].join("\n\n");
  const server = await claude({ key: KEY });
  await define(server);
  const page = await open(server);
  const title = await page.title();
  const { opened, open: letGo } = gate();
  const unknown = use(`<b class="injected">launch</b>`, { why: hostile.slice(0, 400) });
  api.reply(
    {
      ...call(text(hostile), use("check_stock", { sku: hostile.slice(0, 600) }), unknown),
      holds: [{ after: 12, until: opened }],
    },
    say(hostile),
  );
  await ask(page, STOCK);
  await expect(page.getByTestId("speech")).toContainText("xxx");
  const isClean = async () => {
    await expect(page.locator(".injected, aside script, aside iframe, aside img")).toHaveCount(0);
    expect(await page.title()).toBe(title);
    expect(fetched).toEqual([]);
  };
  await isClean();
  letGo();
  await expect(answer(page)).toContainText('<img class="injected"');
  await expect(answer(page)).toContainText("![image](");
  await expect(answer(page)).toContainText("```mermaid flowchart LR injected --> b");
  await expect(answer(page)).toContainText("characters more in its event");
  // Each event, opened.
  const log = page.getByRole("region", { name: "Event log" });
  for (const type of ["turn.saved", "call.failed", "call.completed"]) {
    await log.getByRole("row").filter({ hasText: type }).first().getByRole("button").click();
    await isClean();
  }
  await isClean();
  attacker.close();

  // What the API says of a refusal is no less of a stranger's.
  api.reply(fail(400, {}, '<i class="injected">no</i>'));
  await ask(page, STOCK);
  await expect(answer(page)).toContainText(
    'MODEL_REJECTED: The model\'s API refused the request (400): <i class="injected">no</i>',
  );
  await isClean();
});
