import { Agent, request as httpRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { checkCaching } from "./checks/caching.ts";
import { checkError } from "./checks/error-codes.ts";
import { checkReply } from "./checks/replies.ts";
import { target } from "./target.ts";

export interface Reply {
  status: number;
  body: any;
  /** The body as received, before decompression. */
  bytes: Buffer;
  headers: Record<string, string | string[] | undefined>;
  /** What the request cost, as the local host reports it; NaN on a deployed fleet. */
  cost: { readUnits: number; writeUnits: number; tableCalls: number; stages: number };
}

export interface CallOptions {
  /** Sent as "User-Agent". */
  client?: string;
  headers?: Record<string, string>;
  /** Sent unchanged instead of the parameters. */
  body?: string | Buffer;
  /** Sent as "Basic" credentials. */
  credentials?: { email: string; apiKey: string };
  /** Another host than the one under test. */
  url?: string;
  /** The client's address, of the network 127.0.0.0/8; for hosts on this machine. */
  localAddress?: string;
}

const agent = new Agent({ keepAlive: true });

const encoded = (params: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(params)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]): [string, string] => [name, typeof value === "string" ? value : JSON.stringify(value)]),
  ).toString();

/** Calls the API as a client does: parameters in the query for GET, in a form for others; checks the reply's shape. */
export async function call(
  method: string,
  path: string,
  params: Record<string, unknown> = {},
  options: CallOptions = {},
): Promise<Reply> {
  const inQuery = method === "GET" || method === "HEAD" || method === "OPTIONS";
  const text = encoded(params);
  const body = options.body ?? (inQuery ? undefined : text);
  const url = `/api/v1${path}${inQuery && text ? `?${text}` : ""}`;
  const reply = await send(method, url, body, options);
  checkReply(method, path, reply);
  return reply;
}

/** Calls the API as the user with this e-mail address, or without credentials; returns the reply's body with its status. */
export type CallAs = (
  email: string | undefined,
  method: string,
  path: string,
  params?: Record<string, unknown>,
) => Promise<any>;

/** The same calls, which throw for any status but 200. */
export const mustSucceedAs =
  (as: CallAs): CallAs =>
  async (email, method, path, params) => {
    const reply = await as(email, method, path, params);
    mustSucceed(email ?? "nobody", method, path, reply.status, reply);
    return reply;
  };

/** Throws unless a call succeeded; `by` is who made it. */
export function mustSucceed(by: string, method: string, path: string, status: number, body: unknown): void {
  if (status !== 200) throw new Error(`${method} ${path} by ${by}: ${status} ${JSON.stringify(body)}`);
}

/** Sends one request to a path of the host; of the reply it only checks that an error is a declared one. */
export async function send(
  method: string,
  url: string,
  body: string | Buffer | undefined,
  options: CallOptions,
): Promise<Reply> {
  const { url: base, hostHeader } = options.url ? { url: options.url } : target();
  const { credentials, client = "SkeinTest/1.0", localAddress } = options;
  const headers: Record<string, string> = {
    "user-agent": client,
    ...(hostHeader && { host: hostHeader }),
    ...(body !== undefined && {
      "content-type": "application/x-www-form-urlencoded",
      // Node does not set a length for the body of a DELETE.
      "content-length": String(Buffer.byteLength(body)),
    }),
    ...(credentials && {
      authorization: `Basic ${Buffer.from(`${credentials.email}:${credentials.apiKey}`).toString("base64")}`,
    }),
    ...options.headers,
  };
  const reply = await new Promise<Reply>((resolve, reject) => {
    const outgoing = httpRequest(new URL(url, base), { method, headers, agent, localAddress }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.once("end", () => {
        const bytes = Buffer.concat(chunks);
        const number = (name: string) => Number(response.headers[`x-skein-${name}`] ?? Number.NaN);
        resolve({
          status: response.statusCode ?? 0,
          body: parsed(unpacked(bytes, response.headers["content-encoding"]).toString("utf8")),
          bytes,
          headers: response.headers,
          cost: {
            readUnits: number("read-units"),
            writeUnits: number("write-units"),
            tableCalls: number("table-calls"),
            stages: number("stages"),
          },
        });
      });
      response.once("error", reject);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
  await checkError(method, url, reply.status, reply.body);
  checkCaching(method, url, headers, reply);
  return reply;
}

const unpacked = (bytes: Buffer, encoding: string | undefined) =>
  encoding === "gzip" && bytes.length > 0 ? gunzipSync(bytes) : bytes;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
