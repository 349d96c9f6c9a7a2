import { describe, expect, test } from "vitest";
import * as input from "../../lib/agents/input";
import * as validate from "../../lib/validate";
import { refusal } from "./refusal";

const KIB = 1024;

describe("an agent's id", () => {
  test.each([
    ["acme/@maria/shop"],
    ["shop"],
    ["a/b/c/d/e"],
    ["Zoë.v2_final~1+x-y"],
    ["商店/متجر"],
    [".hidden/..."],
    ["a".repeat(200)],
  ])("may be %j", (id) => expect(input.parseAgentId(id)).toBe(id));

  test.each([
    ["..", "the folder above"],
    [".", "the folder itself"],
    ["acme/../secret", "one above, in the middle"],
    ["acme/./shop", "itself, in the middle"],
    ["acme/..", "one above, at the end"],
    ["acme//shop", "an empty segment"],
    ["/acme", "a slash at the start"],
    ["acme/", "a slash at the end"],
    ["", "nothing"],
    ["/", "a slash alone"],
    ["acme/*", "a glob"],
    ["agent:shop", "a colon, which names other things"],
    ["acme/sh op", "a space"],
    ["acme/shop\n", "a line break at the end"],
    ["acme/\u0007shop", "a control character"],
    ["acme/shop\0", "NUL"],
    ["acme/\ud83e", "half a character"],
    ["acme/\u202eshop", "a character that turns the text around"],
    ["acme%2Fshop", "a percent sign: it is decoded once, before"],
    ["acme\\shop", "a backslash"],
    ["a".repeat(300), "300 characters"],
  ])("is never %j: %s", (id) => {
    const error = refusal(() => input.parseAgentId(id));
    expect(error).toMatchObject({
      code: "INVALID",
      message: expect.stringMatching(/^agent id: expected .+\.$/),
    });
  });
});

describe("an ask", () => {
  const parse = (value: unknown) => validate.parse(input.ask, value, "ask");

  test.each([
    ["Charge Maria's card 🦊💳"],
    ["كم قطعة SKU-7 لدينا؟"],
    ["two\nlines\tand a tab"],
    [" kept as it is "],
  ])("comes through as it was sent: %j", (text) => expect(parse({ text })).toEqual({ text }));

  test.each([
    ["NUL", "a\0b"],
    ["half a character", "a\ud83d"],
    ["the other half", "\udd8a b"],
    ["nothing", ""],
    ["blanks", " \n\t "],
  ])("is refused with %s", (_, text) => {
    expect(refusal(() => parse({ text }))).toMatchObject({
      code: "INVALID",
      message: expect.stringMatching(/^text: /),
    });
  });

  test("may have 256 KiB, counted in bytes as it is stored, and not one more", () => {
    const fox = "🦊";
    const most = fox.repeat((256 * KIB) / 4);
    expect(parse({ text: most }).text).toBe(most);
    const error = refusal(() => parse({ text: `${most}x` }));
    expect(error.code).toBe("TOO_LARGE");
    expect(error.message).toBe(`text: expected at most ${256 * KIB} bytes; came ${256 * KIB + 1}.`);
  });

  test.each([["ask-1"], ["01J.A_b:c-D"], ["x".repeat(100)]])("may bring an id: %s", (id) => {
    expect(parse({ text: "Hello", id })).toEqual({ text: "Hello", id });
  });

  test.each([[""], ["x".repeat(101)], ["a b"], ["a/b"], ["a\n"], [7]])("is refused with an id %j", (id) => {
    expect(refusal(() => parse({ text: "Hello", id })).code).toBe("INVALID");
  });

  test.each([[null], [undefined], ["Hello"], [[]], [7]])("is an object, not %j", (value) => {
    const error = refusal(() => parse(value));
    expect(error).toMatchObject({ code: "INVALID", message: expect.stringMatching(/^ask: expected object/) });
  });
});

describe("a definition", () => {
  const good = { model: "scripted:shop", instructions: "", tools: ["shop"] };
  const parse = (value: unknown) => validate.parse(input.definition, value, "definition");

  test("is taken as it is", () => {
    expect(parse(good)).toEqual(good);
    const limits = { maxTurns: 3, maxTokens: 1000 };
    expect(parse({ ...good, limits })).toEqual({ ...good, limits });
  });

  test.each([
    ["a key that it does not know", { ...good, temperature: 1 }, "temperature"],
    ["one in its limits", { ...good, limits: { maxCalls: 1 } }, "maxCalls"],
    ["no model", { instructions: "", tools: [] }, "model"],
    ["tools that are no list", { ...good, tools: "shop" }, "tools"],
    ["a tool that is no name", { ...good, tools: ["shop", 7] }, "tools.1"],
    ["a limit of zero", { ...good, limits: { maxTurns: 0 } }, "limits.maxTurns"],
    ["half a turn", { ...good, limits: { maxTurns: 1.5 } }, "limits.maxTurns"],
  ])("is refused with %s, which is named", (_, value, name) => {
    const error = refusal(() => parse(value));
    expect(error.code).toBe("INVALID");
    expect(error.message).toContain(name);
  });

  test("gives every reason at once, in one line", () => {
    const { message, details } = refusal(() => parse({ model: 7, instructions: null, tools: [], extra: 1 }));
    expect(message).toMatch(/^model: .+; instructions: .+; definition: .+\.$/);
    expect(message).not.toContain("\n");
    expect(details.issues).toHaveLength(3);
  });

  test("is TOO_LARGE with instructions over the limit: nothing is cut", () => {
    const error = refusal(() => parse({ ...good, instructions: "x".repeat(256 * KIB + 1) }));
    expect(error).toMatchObject({ code: "TOO_LARGE", message: expect.stringMatching(/^instructions: /) });
  });
});

test("a denial has a reason", () => {
  for (const reason of ["", "  ", undefined]) {
    expect(refusal(() => validate.parse(input.reason, { reason }, "decision")).code).toBe("INVALID");
  }
  expect(validate.parse(input.reason, { reason: "The bank has it." }, "decision").reason).toBe(
    "The bank has it.",
  );
});

test("a scope has known roles, at least one", () => {
  const scope = { principal: "acme/@maria", roles: ["viewer"], resources: ["acme/@maria/*"] };
  const parse = (value: unknown) => validate.parse(input.scope, value, "Relight-As");
  expect(parse(scope)).toEqual(scope);
  for (const roles of [[], ["admin"], "viewer"]) {
    expect(refusal(() => parse({ ...scope, roles })).message).toMatch(/^roles/);
  }
});
