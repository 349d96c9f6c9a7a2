import { describe, expect, test } from "vitest";
import { guard } from "../../lib/http/guard";
import { refusal } from "./refusal";

const HOST = "localhost:3000";
const call = (headers: Record<string, string>, method = "POST", path = "/api/runtime/stop") =>
  guard(method, path, { host: HOST, ...headers });
const refused = (...how: Parameters<typeof call>) => refusal(() => call(...how));

describe("Host", () => {
  test.each([["localhost"], [HOST], ["127.0.0.1:3000"], ["[::1]:3000"], ["[::1]"]])("may be %s", (host) =>
    call({ host }),
  );

  test.each([
    ["evil.example"],
    ["localhost.evil.example:3000"],
    ["127.0.0.1.evil.example"],
    ["evil.example:3000@localhost"],
    ["localhost:3000@evil.example"],
    ["192.168.1.7:3000"],
    ["0.0.0.0:3000"],
    ["127.0.0.2"],
    ["[::]:3000"],
    ["::1"],
    ["localhost:3000, evil.example"],
    ["localhost:"],
    [""],
  ])("is never %j: a page may lead a browser here under another name", (host) => {
    expect(refused({ host })).toMatchObject({ code: "FORBIDDEN", message: expect.stringMatching(/^Host: /) });
  });

  test("is needed", () => {
    expect(refusal(() => guard("GET", "/", {})).code).toBe("FORBIDDEN");
  });
});

describe("Origin", () => {
  test("may be this server's own, by the name it was called", () => {
    call({ origin: `http://${HOST}` });
    call({ host: "[::1]:3000", origin: "http://[::1]:3000" });
  });

  test("may be missing: programs send none", () => call({}));

  test.each([
    ["null", "a sandboxed frame, or a file"],
    ["http://evil.example", "another site"],
    ["http://localhost:4000", "another server on this machine"],
    ["http://localhost", "another port"],
    ["https://localhost:3000", "another scheme"],
    ["http://127.0.0.1:3000", "another name of this machine"],
    ["http://localhost:3000.evil.example", "a name that begins like it"],
    ["", "nothing"],
  ])("is never %j: %s", (origin) => {
    const error = refused({ origin });
    expect(error).toMatchObject({ code: "FORBIDDEN", message: expect.stringMatching(/^Origin: /) });
    expect(error.message).toContain(`http://${HOST}`);
  });

  test("is checked on reads too", () => {
    expect(refused({ origin: "http://evil.example" }, "GET", "/api/events").code).toBe("FORBIDDEN");
  });
});

describe("Sec-Fetch-Site", () => {
  const click = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };

  test("may be same-origin, or none where a person typed the address", () => {
    call({ "sec-fetch-site": "same-origin" });
    call({ "sec-fetch-site": "none", ...click }, "GET", "/");
  });

  test.each([["same-site"], ["cross-site"], ["anything"]])(
    "%s may open a page by a link, and no more",
    (site) => {
      const from = { "sec-fetch-site": site };
      call({ ...from, ...click }, "GET", "/");
      call({ ...from, ...click }, "GET", "/notebooks/crash?x=1");
      expect(refused({ ...from, ...click }, "GET", "/api/events").message).toMatch(/^Sec-Fetch-Site: /);
      expect(refused({ ...from, ...click }, "POST", "/").code).toBe("FORBIDDEN");
      expect(refused({ ...from, "sec-fetch-mode": "no-cors" }, "GET", "/").code).toBe("FORBIDDEN");
      expect(refused({ ...from, "sec-fetch-mode": "cors" }, "GET", "/").code).toBe("FORBIDDEN");
      expect(refused(from, "POST", "/api/runtime/stop").code).toBe("FORBIDDEN");
    },
  );
});

test("a refusal repeats what came, shortened and in one line", () => {
  const error = refused({ host: `evil\r\n${"x".repeat(1000)}` });
  expect(error.message).not.toMatch(/[\r\n]/);
  expect(error.message.length).toBeLessThan(200);
});
