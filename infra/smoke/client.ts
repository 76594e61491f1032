/** An API client that measures response times and does not follow redirects. */

export interface SmokeAccount {
  email: string;
  apiKey: string;
}

export interface Answer {
  status: number;
  /** The JSON body; undefined where there is none. */
  // biome-ignore lint/suspicious/noExplicitAny: a check that reads a wrong field fails, as it should.
  body: any;
  bytes: Uint8Array;
  location: string | undefined;
  /** Milliseconds until the whole answer was received. */
  ms: number;
}

export type Params = Record<string, string | number | boolean>;

/** Longer than API Gateway's own timeout of 30 s. */
const deadlineMs = 45_000;

export class SmokeClient {
  readonly #url: string;
  readonly #account: SmokeAccount | undefined;

  /** `url` is the API's base URL, without a path. */
  constructor(url: string, account?: SmokeAccount) {
    this.#url = url.replace(/\/+$/, "");
    this.#account = account;
  }

  /** Calls an endpoint by its path below /api/v1. */
  call(method: string, path: string, params: Params = {}): Promise<Answer> {
    const form = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, String(value)]));
    const inQuery = method === "GET" && form.size > 0;
    return this.send(method, `/api/v1${path}${inQuery ? `?${form}` : ""}`, method === "GET" ? undefined : form);
  }

  async send(method: string, path: string, body?: URLSearchParams | FormData): Promise<Answer> {
    const startedAt = performance.now();
    const headers = { "user-agent": "SkeinSmoke/1.0", ...(this.#account && { authorization: basic(this.#account) }) };
    const response = await fetch(new URL(path, this.#url), {
      ...{ method, headers, redirect: "manual", signal: AbortSignal.timeout(deadlineMs) },
      ...(body && { body }),
    });
    const bytes = await response.bytes();
    const ms = performance.now() - startedAt;
    const location = response.headers.get("location") ?? undefined;
    return { status: response.status, body: parsed(bytes), bytes, location, ms };
  }

  /** The target of a redirect that answered a request for `path`. */
  redirectTarget(path: string, { location = "" }: Answer): string {
    const next = new URL(location, new URL(path, this.#url));
    if (next.origin !== new URL(this.#url).origin) throw new Error(`a redirect leads to ${next.origin}`);
    return next.pathname + next.search;
  }
}

const basic = ({ email, apiKey }: SmokeAccount) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    return undefined;
  }
}
