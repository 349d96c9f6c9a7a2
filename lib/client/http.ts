import type { Scope } from "../agents/scope";
import { type Code, codes, messageOf, RelightError } from "../errors";
import type { StreamSource } from "./stream";

/** The JSON half of the API: sends a request, returns its answer, throws a {@link RelightError} with the server's code. */
export class Http {
  readonly base: string;
  /** Where streams come from; undefined for the network. */
  readonly lent: StreamSource | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  /** @param base the server's URL; "" for the page's own */
  constructor(base: string, lent?: StreamSource, headers: Record<string, string> = {}) {
    this.base = base.replace(/\/+$/, "");
    this.lent = lent;
    this.#headers = headers;
  }

  /** With more headers on every request. */
  with(headers: Record<string, string>): Http {
    return new Http(this.base, this.lent, { ...this.#headers, ...headers });
  }

  as(scope: Scope): Http {
    return this.with({ "relight-as": ascii(JSON.stringify(scope)) });
  }

  get<T>(path: string): Promise<T> {
    return this.#json("GET", path);
  }

  post<T>(path: string, body?: unknown): Promise<T> {
    return this.#json("POST", path, body);
  }

  put<T>(path: string, body: unknown): Promise<T> {
    return this.#json("PUT", path, body);
  }

  delete<T>(path: string): Promise<T> {
    return this.#json("DELETE", path);
  }

  /** Sends a request as it is. @throws UNAVAILABLE if no server answers */
  async send(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers({ ...this.#headers, ...(init.headers as Record<string, string>) });
    let response: Response;
    try {
      response = await fetch(`${this.base}/api${path}`, { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw new RelightError(
        "UNAVAILABLE",
        `No server answers at ${this.base || "this address"} (${reason(error)}).`,
      );
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  async #json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const init: RequestInit = { method, headers: { accept: "application/json" } };
    if (body !== undefined) {
      init.body = JSON.stringify(body);
      init.headers = { ...init.headers, "content-type": "application/json" };
    }
    const response = await this.send(path, init);
    try {
      return (await response.json()) as T;
    } catch (error) {
      throw new RelightError("UNAVAILABLE", `The server's answer broke off (${reason(error)}).`);
    }
  }
}

async function errorOf(response: Response): Promise<RelightError> {
  const body = (await response.json().catch(() => null)) as Record<string, unknown> | null;
  if (body && typeof body.code === "string" && body.code in codes) {
    const { code, detail, type: _, title: __, status: ___, next: ____, ...details } = body;
    return new RelightError(code as Code, String(detail), details);
  }
  const code: Code = response.status >= 500 ? "UNAVAILABLE" : "INVALID";
  return new RelightError(code, `The server answered ${response.status} without a problem document.`);
}

function reason(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as { code?: string } | undefined) : undefined;
  return cause?.code ?? messageOf(error);
}

/** A header holds ASCII only; JSON has an escape for the rest. */
const ascii = (text: string): string =>
  text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
