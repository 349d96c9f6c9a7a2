/**
 * The door. The server listens on loopback only, but a page of any site can make a browser call loopback; so every
 * request must name this server as its host, and may come from nowhere but this server's own pages.
 */
import type { IncomingHttpHeaders } from "node:http";
import { RelightError } from "../errors";

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/i;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/**
 * @param path of the request
 * @throws FORBIDDEN with what was expected; INVALID if the path cannot be decoded; METHOD_NOT_ALLOWED
 */
export function guard(method: string, path: string, headers: IncomingHttpHeaders): void {
  const { host = "", origin } = headers;
  if (!METHODS.includes(method) || !path.startsWith("/")) {
    throw new RelightError(
      "METHOD_NOT_ALLOWED",
      `expected one of ${METHODS.join(", ")}; came ${method} ${path.slice(0, 100)}.`,
    );
  }
  if (!isWellEncoded(path)) throw new RelightError("INVALID", "path: expected valid percent-encoding.");
  // Against DNS rebinding: whoever was led here under another name has that name in Host.
  if (!LOOPBACK.test(host)) throw refused("Host", "a loopback name", host);
  if (origin !== undefined && origin !== `http://${host}`) throw refused("Origin", `http://${host}`, origin);
  const site = headers["sec-fetch-site"];
  if (site === undefined || site === "same-origin" || site === "none") return;
  // A link from elsewhere to a page is a person's own click, and changes nothing.
  const followsLink =
    method === "GET" && headers["sec-fetch-mode"] === "navigate" && !path.startsWith("/api");
  if (!followsLink) throw refused("Sec-Fetch-Site", "same-origin", String(site));
}

function isWellEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

const refused = (header: string, expected: string, came: string): RelightError =>
  new RelightError(
    "FORBIDDEN",
    `${header}: expected ${expected}; came ${JSON.stringify(came.slice(0, 100))}.`,
  );
