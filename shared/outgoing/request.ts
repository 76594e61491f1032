import { lookup as resolveName } from "node:dns";
import { request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { type Exceptions, exceptionsIn, mayReach } from "./addresses.ts";

/** The one way in which the fleet sends requests to addresses that its users choose. */

/** `refused` before anything was sent: the address is not for us to reach, or no address at all. */
export type OutgoingProblem = "refused" | "timeout" | "unreachable" | "tooLarge";

/** A request that got no usable answer. The message names the host at most, never the address's path or credentials. */
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
  body?: string;
  /** From the start to the last byte of the answer. */
  deadlineMs: number;
  /** Bytes of the answer's body; beyond, the request fails with "tooLarge". */
  maxBytes: number;
}

export interface OutgoingAnswer {
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
 * Sends one request. Its host's addresses are checked when they are resolved and the connection is made to just these,
 * so that a name which changes its mind gains nothing. Redirects are answers like others. Throws OutgoingError.
 */
export async function sendOutgoing(outgoing: OutgoingRequest, resolve = systemResolver): Promise<OutgoingAnswer> {
  const url = parsedUrl(outgoing.url);
  const host = url.hostname.replace(/^\[|\]$/g, "");
  const exceptions = exceptionsIn(process.env.SKEIN_OUTGOING_ALLOW ?? "");
  // Node looks up no name that is an address already.
  if (isIP(host) && !mayReach(host, host, exceptions)) throw refused(host);
  const deadline = AbortSignal.timeout(outgoing.deadlineMs);
  try {
    return await exchange(url, outgoing, {
      lookup: checkedLookup(host, exceptions, resolve),
      signal: deadline,
    });
  } catch (error) {
    if (error instanceof OutgoingError) throw error;
    if (deadline.aborted) throw new OutgoingError("timeout", `${host} did not answer in time`);
    const { code = "" } = error as NodeJS.ErrnoException;
    throw new OutgoingError("unreachable", `${host} could not be reached${code && ` (${code})`}`);
  }
}

const refused = (host: string) => new OutgoingError("refused", `Requests to ${host} are not allowed`);

function parsedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !(url.protocol === "http:" || url.protocol === "https:"))
    throw new OutgoingError("refused", "The address is not an http or https URL");
  return url;
}

/** One address that may not be reached refuses the name: who mixes them has something in mind. */
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
        // A connection of its own, which no other request finds open.
        agent: false,
        headers: {
          "user-agent": "Skein",
          "accept-encoding": "identity",
          ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
          ...headers,
        },
      },
      (response) => {
        readBody(response, maxBytes).then(
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

async function readBody(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += chunk.length;
    if (size > maxBytes) throw new OutgoingError("tooLarge", `The answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
