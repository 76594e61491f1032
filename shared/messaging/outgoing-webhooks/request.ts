import { lookup as resolveName } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { outgoingExceptions } from "../../base/environment.ts";
import { type Exceptions, exceptionsIn, mayReach } from "./addresses.ts";

/** The only way in which the server sends requests to URLs that users choose. */

/** "refused": the request was not sent, since the URL is invalid or its address not allowed. */
type OutgoingProblem = "refused" | "timeout" | "unreachable" | "tooLarge";

/** A request without a usable response. The message contains at most the host, never the path or credentials. */
export class OutgoingError extends Error {
  override name = "OutgoingError";
  readonly problem: OutgoingProblem;
  constructor(problem: OutgoingProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

export interface OutgoingRequest {
  url: string;
  method: "GET" | "POST";
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The time limit from the start of the request to the last byte of the response. */
  deadlineMs: number;
  /** Maximum bytes of the response; above, the request fails with "tooLarge". */
  maxBytes: number;
}

interface OutgoingAnswer {
  status: number;
  body: string;
}

/** Resolves a name to all of its addresses, as `dns.lookup` with `all` does. */
export type Resolver = (
  host: string,
  done: (error: Error | null, addresses: { address: string; family: number }[]) => void,
) => void;

const systemResolver: Resolver = (host, done) => resolveName(host, { all: true }, done);

/**
 * Sends one request. The host's addresses are checked when they are resolved, and the connection uses exactly these, which
 * prevents DNS rebinding. Redirects are not followed. Throws OutgoingError.
 */
export async function sendOutgoing(outgoing: OutgoingRequest, resolve = systemResolver): Promise<OutgoingAnswer> {
  const url = parseHttpUrl(outgoing.url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const exceptions = exceptionsIn(outgoingExceptions());
  // Node does not resolve literal addresses, so that they must be checked here.
  if (isIP(host) && !mayReach(host, host, exceptions)) throw refused(host);
  const timeout = AbortSignal.timeout(outgoing.deadlineMs);
  try {
    return await exchange(url, outgoing, {
      lookup: checkedLookup(host, exceptions, resolve),
      signal: timeout,
    });
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    if (timeout.aborted) throw new OutgoingError("timeout", `${host} did not answer in time`);
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new OutgoingError("unreachable", `${host} could not be reached${code && ` (${code})`}`);
  }
}

const refused = (host: string) => new OutgoingError("refused", `Requests to ${host} are not allowed`);

function parseHttpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !(url.protocol === "http:" || url.protocol === "https:"))
    throw new OutgoingError("refused", "The address is not an http or https URL");
  return url;
}

/**
 * A DNS lookup that refuses a name if any of its addresses is forbidden, because a mix of addresses indicates DNS rebinding.
 */
function checkedLookup(host: string, exceptions: Exceptions, resolve: Resolver): LookupFunction {
  return (name, { all }, done) => {
    resolve(name, (error, addresses) => {
      const first = addresses?.[0];
      if (error || !first) return done(error ?? new Error(`${host} has no address`), "", 4);
      if (!addresses.every(({ address }) => mayReach(host, address, exceptions))) return done(refused(host), "", 4);
      return all ? done(null, addresses as never) : done(null, first.address, first.family);
    });
  };
}

function exchange(url: URL, outgoing: OutgoingRequest, options: RequestOptions): Promise<OutgoingAnswer> {
  const { method, headers, body, maxBytes } = outgoing;
  const send = url.protocol === "https:" ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const request = send(
      url,
      {
        ...options,
        method,
        // A separate connection, which no other request reuses.
        agent: false,
        headers: {
          "user-agent": "Skein",
          "accept-encoding": "identity",
          ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        readText(response, maxBytes).then(
          (text) => resolve({ status: response.statusCode ?? 0, body: text }),
          (error: unknown) => {
            reject(error);
            request.destroy();
          },
        );
      },
    );
    request.once("error", reject);
    request.end(body);
  });
}

/** The body as text. */
async function readText(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) throw new OutgoingError("tooLarge", `The answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return decode(Buffer.concat(chunks), response.headers["content-type"] ?? "");
}

/**
 * Decodes text by its byte order mark, or else as its content type says; where that names no known character set, as UTF-8 if it
 * can be, or else as Latin-1, as older servers send it without saying so.
 */
function decode(bytes: Uint8Array, contentType: string): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("hex");
  const [, declared] = /;\s*charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType) ?? [];
  const charset = { feff: "utf-16be", fffe: "utf-16le", efbb: "utf-8" }[mark] ?? declared;
  const known =
    charset === undefined ? undefined : (decoderFor(charset) ?? decoderFor(charset.replaceAll(/[-_]/g, "")));
  if (known) return known.decode(bytes);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("latin1").decode(bytes);
  }
}

function decoderFor(charset: string): TextDecoder | undefined {
  try {
    return new TextDecoder(charset);
  } catch {
    return undefined;
  }
}
