import type { IncomingMessage } from "node:http";
import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { AwsJson1_0Protocol } from "@aws-sdk/core/protocols";
import { HttpRequest } from "@smithy/core/protocols";
import { observed } from "../aws.ts";
import { signatureOf } from "./signing.ts";

/**
 * The table's client: the SDK's own, with its configuration, credentials, endpoints, retries, connections and errors,
 * and a shorter way through it. Most of what the SDK does for a call walks along the service's schemas or asks anew what
 * was answered for the call before; the store's calls all look alike, and what they carry has the form in which it
 * travels already (./attributes.ts).
 */

let client: DynamoDBClient | undefined;
export const db = () => (client ??= connect());

/** What a call of the table's needs none of, or has in the protocol and the signing below. */
const idle = [
  "loggerMiddleware",
  "recursionDetectionMiddleware",
  "getUserAgentMiddleware",
  "hostHeaderMiddleware",
  "contentLengthMiddleware",
  "httpAuthSchemeMiddleware",
  "httpSigningMiddleware",
];

/** A client of one's own; without `config`, of the table that the environment names. */
export function connect(config: DynamoDBClientConfig = {}): DynamoDBClient {
  // The chain of middleware is the same for every call of a kind: it is put together once.
  const made = new DynamoDBClient({ ...config, protocol: StraightJson, cacheMiddleware: true });
  for (const name of idle) made.middlewareStack.remove(name);
  made.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args as { request: Signed };
      const [credentials, region] = await Promise.all([made.config.credentials(), made.config.region()]);
      Object.assign(request.headers, signatureOf({ headers: request.own, body: request.body }, credentials, region));
      return next(args);
    },
    // Within the retries, so that each attempt is signed at its own time.
    { step: "finalizeRequest", name: "skeinSigning", priority: "low" },
  );
  return observed(made);
}

/** `own`: the headers that are signed. */
type Signed = HttpRequest & { own: Record<string, string>; body: string };
type Protocol = AwsJson1_0Protocol;

/** Writes and reads bodies as they are; errors are told apart and decoded by the service's schemas. */
class StraightJson extends AwsJson1_0Protocol {
  override async serializeRequest(...[operation, input, context]: Parameters<Protocol["serializeRequest"]>) {
    const { url } = (context as unknown as { endpointV2: { url: URL } }).endpointV2;
    const own = {
      "content-type": "application/x-amz-json-1.0",
      host: url.host,
      "x-amz-target": `${this.serviceTarget}.${operation.name}`,
    };
    const body = JSON.stringify(input);
    const { protocol, hostname, port } = url;
    const place = { protocol, hostname, path: "/", ...(port && { port: Number(port) }) };
    const request = new HttpRequest({ ...place, method: "POST", body, headers: { ...own } });
    return Object.assign(request, { own });
  }

  override async deserializeResponse(...[operation, context, response]: Parameters<Protocol["deserializeResponse"]>) {
    if (this.isErrorResponse(response.statusCode)) return super.deserializeResponse(operation, context, response);
    const output = JSON.parse(await textOf(response.body as IncomingMessage));
    return Object.assign(output, { $metadata: this.deserializeMetadata(response) });
  }
}

const textOf = (body: IncomingMessage) =>
  new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.once("end", () => resolve(Buffer.concat(chunks).toString()));
    body.once("error", reject);
    body.once("aborted", () => reject(Object.assign(new Error("The reply broke off"), { code: "ECONNRESET" })));
  });
