import { describe, expect, test } from "vitest";
import { covers, demand, may, type Operation, OWNER, PLAYGROUND, type Role } from "../../lib/agents/scope";
import { refusal } from "./refusal";

describe("a glob covers", () => {
  test.each([
    ["acme/@maria/*", "acme/@maria/shop", "what is right below"],
    ["acme/@maria/*", "acme/@maria/shop/stock/deep", "and deeper"],
    ["acme/*", "acme/@maria/shop", "everything below its first segment"],
    ["acme/@maria/shop", "acme/@maria/shop", "itself"],
    ["acme/*/shop", "acme/@maria/shop", "one segment, in the middle"],
    ["*/@maria/*", "other/@maria/shop", "one segment, at the start"],
    ["*", "shop", "one segment"],
    ["*/*", "acme/@maria/shop", "every path of two segments and more"],
  ])("%s %s: %s", (glob, path) => expect(covers(glob, path)).toBe(true));
});

describe("a glob never covers", () => {
  test.each([
    ["acme/@maria/*", "acme/@mariana/x", "a longer name"],
    ["acme/@maria/*", "acme/@maria", "the folder itself"],
    ["acme/@maria/*", "acme/@mari/shop", "a shorter name"],
    ["acme/@maria/*", "other/acme/@maria/shop", "the same path further down"],
    ["acme/@maria/shop", "acme/@maria/shop/a", "what is below, unless it says so"],
    ["acme/@maria/shop", "acme/@maria/SHOP", "another case"],
    ["acme/*/shop", "acme/@maria/other/shop", "two segments with a star in the middle"],
    ["acme/*/shop", "acme/shop", "none"],
    ["acme/@maria/s*", "acme/@maria/shop", "part of a segment: a star is a whole one"],
    ["acme/@m.ria/shop", "acme/@maria/shop", "by a pattern of another kind"],
    ["*", "acme/@maria/shop", "more than one segment"],
    ["*/*", "shop", "fewer segments than it has"],
    ["", "shop", "anything, if it is empty"],
  ])("%s %s: %s", (glob, path) => expect(covers(glob, path)).toBe(false));
});

describe("a role may", () => {
  const table: [Role, Record<Operation, boolean>][] = [
    ["owner", { read: true, decide: true, change: true }],
    ["approver", { read: true, decide: true, change: false }],
    ["viewer", { read: true, decide: false, change: false }],
  ];
  test.each(table)("%s: %o", (role, expected) => {
    const scope = { principal: "acme/@maria", roles: [role], resources: ["acme/@maria/*"] };
    for (const [operation, allowed] of Object.entries(expected)) {
      expect(may(scope, operation as Operation, "acme/@maria/shop"), operation).toBe(allowed);
      expect(may(scope, operation as Operation, "acme/@mariana/shop"), operation).toBe(false);
    }
  });

  test("do what any of its roles may, where any of its resources covers it", () => {
    const scope = { principal: "p", roles: ["viewer", "approver"] as Role[], resources: ["a/*", "b/*"] };
    expect(may(scope, "decide", "b/x")).toBe(true);
    expect(may(scope, "change", "b/x")).toBe(false);
  });

  test("do nothing without a role, and nothing without a resource", () => {
    expect(may({ principal: "p", roles: [], resources: ["*", "*/*"] }, "read", "a/b")).toBe(false);
    expect(may({ principal: "p", roles: ["owner"], resources: [] }, "read", "a/b")).toBe(false);
  });
});

test("the owner of the playground may do everything, to agents of any depth and to the playground", () => {
  for (const resource of ["shop", "acme/@maria/shop", PLAYGROUND])
    expect(may(OWNER, "change", resource)).toBe(true);
});

test("whoever sees some agents may do nothing to the playground itself", () => {
  const scope = { principal: "p", roles: ["owner"] as Role[], resources: ["acme/*", "*/*"] };
  expect(may(scope, "read", PLAYGROUND)).toBe(false);
});

test("a refusal names who, the operation and the resource", () => {
  const scope = { principal: "acme/@maria", roles: ["viewer"] as Role[], resources: ["acme/@maria/*"] };
  const error = refusal(() => demand(scope, "change", "acme/@maria/shop"));
  expect(error).toMatchObject({
    code: "FORBIDDEN",
    message: "acme/@maria may not change acme/@maria/shop.",
    details: { operation: "change", resource: "acme/@maria/shop" },
  });
  demand(scope, "read", "acme/@maria/shop");
});
