import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { lookupWithLocalhost } from "../../base/localhost-names.ts";
import { parseJson } from "../../base/schema/text.ts";

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
    const { status, location, bytes } = await exchange(method, new URL(path, this.#url), headers, body);
    const ms = performance.now() - startedAt;
    return { status, body: parseJson(Buffer.from(bytes).toString()), bytes, location, ms };
  }

  /** The target of a redirect that answered a request for `path`. */
  redirectTarget(path: string, { location = "" }: Answer): string {
    const next = new URL(location, new URL(path, this.#url));
    if (next.origin !== new URL(this.#url).origin) throw new Error(`a redirect leads to ${next.origin}`);
    return next.pathname + next.search;
  }
}

/** Sends a request and reads the whole answer. `fetch` could not reach the `localhost` names of emulators everywhere. */
async function exchange(method: string, url: URL, headers: Record<string, string>, body?: URLSearchParams | FormData) {
  const encoded = new Response(body);
  const content = await encoded.bytes();
  const contentType = encoded.headers.get("content-type");
  return new Promise<Pick<Answer, "status" | "location" | "bytes">>((done, fail) => {
    const request = url.protocol === "https:" ? httpsRequest : httpRequest;
    const outgoing = request(url, {
      ...{ method, lookup: lookupWithLocalhost, signal: AbortSignal.timeout(deadlineMs) },
      headers: {
        ...headers,
        ...(contentType && { "content-type": contentType, "content-length": content.length }),
      },
    });
    outgoing.once("error", fail);
    outgoing.once("response", (incoming) => {
      incoming.toArray().then((chunks) => {
        done({ status: incoming.statusCode ?? 0, location: incoming.headers.location, bytes: Buffer.concat(chunks) });
      }, fail);
    });
    outgoing.end(content);
  });
}

const basic = ({ email, apiKey }: SmokeAccount) => `Basic ${Buffer.from(`${email}:${apiKey}`).toString("base64")}`;
