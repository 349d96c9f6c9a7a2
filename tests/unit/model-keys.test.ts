import { describe, expect, test } from "vitest";
import { anthropic } from "../../lib/models/anthropic";
import type { Keys } from "../../lib/models/model";
import { Secrets } from "../../lib/playground/secrets";

describe("the keys of a playground", () => {
  test.each([undefined, "", " ", "\n\t"])("an empty variable is no key: %j", (environment) => {
    const secrets = new Secrets(environment);
    expect(secrets.view()).toEqual({ present: false, source: null });
    expect(secrets.keys).toEqual({});
  });

  test("the panel's comes before the environment's, and is forgotten alone", () => {
    const secrets = new Secrets(" sk-environment\n");
    expect(secrets.keys).toEqual({ anthropic: { value: "sk-environment", source: "environment" } });
    expect(secrets.set({ key: "sk-panel" })).toEqual({ present: true, source: "panel" });
    expect(secrets.set({ key: "sk-other" })).toEqual({ present: true, source: "panel" });
    expect(secrets.keys).toEqual({ anthropic: { value: "sk-other", source: "panel" } });
    expect(secrets.forget()).toEqual({ present: true, source: "environment" });
    expect(secrets.forget()).toEqual({ present: true, source: "environment" });
  });

  test("what is no key is refused without being quoted, and the one before stays", () => {
    const secrets = new Secrets("");
    secrets.set({ key: "sk-before" });
    const bad = [
      { key: "" },
      { key: "with blank sk-distinct" },
      { key: `sk-distinct${"x".repeat(600)}` },
      { key: "sk-distinct".repeat(100_000) },
      { key: "sk-distinct\n" },
      { key: "sk-distinct\u0000" },
      { key: "sk-distinct-é" },
      { key: 7 },
      // Where a key goes is the server's to say.
      { key: "sk-distinct", baseUrl: "http://attacker.example" },
      "sk-distinct",
      ["sk-distinct"],
      {},
      null,
    ];
    for (const raw of bad) {
      let refusal: unknown;
      try {
        secrets.set(raw);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toMatchObject({ code: expect.stringMatching(/^(INVALID|TOO_LARGE)$/) });
      expect(`${refusal} ${JSON.stringify(refusal)}`).not.toContain("distinct");
    }
    expect(secrets.keys).toEqual({ anthropic: { value: "sk-before", source: "panel" } });
  });
});

describe("without a key that could be sent nothing is", () => {
  const ask = (keys: Keys) =>
    anthropic.ask({
      model: "claude-haiku-4-5",
      instructions: "",
      messages: [{ role: "user", parts: [{ type: "text", content: "Hello." }] }],
      earlier: 0,
      tools: [],
      keys,
      speak: () => {},
      wait: () => {
        throw new Error("It was tried.");
      },
    });

  test("none", async () => {
    await expect(ask({})).rejects.toMatchObject({ failure: { code: "NO_KEY" } });
  });

  test("one that no header takes", async () => {
    for (const value of ["sk-ключ", "sk-\n", "sk-\u0000", "sk with blanks"]) {
      const refused = await ask({ anthropic: { value, source: "environment" } }).catch(
        (error: unknown) => error,
      );
      expect(refused).toMatchObject({ failure: { code: "BAD_KEY" } });
      expect(String(refused)).not.toContain(value);
    }
  });
});
