import type { IncomingMessage } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { getEndpointFromInstructions } from "@smithy/core/endpoints";
import { HttpRequest, type HttpResponse } from "@smithy/core/protocols";
import {
  getRetryAfterHint,
  isServerError,
  isThrottlingError,
  isTransientError,
  type StandardRetryStrategy,
} from "@smithy/core/retry";
import { observed } from "./aws.ts";
import { type Signer, signatureOf } from "./signing.ts";

/**
 * A shorter way through the SDK for a service that speaks AWS JSON 1.0, with the SDK's own configuration, credentials,
 * endpoint, retries, connections and errors. Most of what the SDK does for a call walks along the service's schemas,
 * copies the client's configuration, or asks anew what was answered for the call before; here all calls look alike, and
 * their input and output have the form in which they travel.
 */

/** What a client's calls need none of, or have in the steps below. */
const idle = [
  "loggerMiddleware",
  "recursionDetectionMiddleware",
  "getUserAgentMiddleware",
  "hostHeaderMiddleware",
  "contentLengthMiddleware",
  "httpAuthSchemeMiddleware",
  "httpSigningMiddleware",
  "queueUrlMiddleware",
];

type Retries = Pick<StandardRetryStrategy, "acquireInitialRetryToken" | "refreshRetryTokenForRetry" | "recordSuccess">;
type Failure = Parameters<Retries["refreshRetryTokenForRetry"]>[1];
type Step = (next: (args: any) => Promise<any>, context: any) => (args: any) => Promise<any>;

/** What of an SDK client's insides is used here. */
interface Insides {
  middlewareStack: {
    add(step: Step, options: Record<string, unknown>): void;
    remove(name: string): boolean;
    concat(own: { remove(name: string): boolean }): unknown;
  };
  config: {
    /** The SDK's own of AWS JSON. */
    protocol: {
      serviceTarget: string;
      awsQueryCompatible: boolean;
      deserializeResponse(operation: object, context: object, response: HttpResponse): Promise<unknown>;
    };
    credentials(): Promise<Signer>;
    region(): Promise<string>;
    retryStrategy(): Promise<Retries>;
  };
}

/** `own`: the headers that are signed. */
type Signed = HttpRequest & { own: Record<string, string>; body: string };

/** Makes of an operation's reply, whose bytes it may change, what the call resolves to. */
type Read = (operation: string, body: Buffer) => object;
const asJson: Read = (_, body) => JSON.parse(body.toString() || "{}");

/** Shortens a client's way and lets hosts observe it; `service` as its requests are signed. `cacheMiddleware` should be set. */
export function straight<C>(client: C, service: string, readReply = asJson): C {
  const { middlewareStack: stack, config } = client as Insides;
  for (const name of idle) stack.remove(name);
  let place: Promise<Place> | undefined;
  const write: Step = (next, context) => async (args) => {
    place ??= placeOf(args.input, config, context);
    const { url, ...to } = await place.catch((error: unknown) => {
      place = undefined;
      throw error;
    });
    const [, , name] = context.__smithy_context.operationSchema;
    const own = {
      "content-type": "application/x-amz-json-1.0",
      host: url.host,
      "x-amz-target": `${config.protocol.serviceTarget}.${name}`,
      // Errors then have the names that the SDK knows them by.
      ...(config.protocol.awsQueryCompatible && { "x-amzn-query-mode": "true" }),
    };
    const request = new HttpRequest({ ...to, method: "POST", body: JSON.stringify(args.input), headers: { ...own } });
    return next({ ...args, request: Object.assign(request, { own }) });
  };
  const sign: Step = (next) => async (args) => {
    const request: Signed = args.request;
    const [credentials, region] = await Promise.all([config.credentials(), config.region()]);
    const scope = { service, region };
    Object.assign(request.headers, signatureOf({ headers: request.own, body: request.body }, credentials, scope));
    return next(args);
  };
  // The SDK's own step makes an error, an ID and two headers for each call, whether it fails or not.
  const retry: Step = (next) => async (args) => {
    const strategy = await config.retryStrategy();
    let token: Awaited<ReturnType<Retries["refreshRetryTokenForRetry"]>> = await strategy.acquireInitialRetryToken("");
    for (;;)
      try {
        const result = await next(args);
        strategy.recordSuccess(token);
        result.output.$metadata.attempts = token.getRetryCount() + 1;
        return result;
      } catch (error) {
        token = await strategy.refreshRetryTokenForRetry(token, failureOf(error)).catch(() => Promise.reject(error));
        await pause(token.getRetryDelay());
      }
  };
  const read: Step = (next, context) => async (args) => {
    const { response } = await next(args);
    if (response.statusCode >= 300) throw await errorOf(response, config, context);
    const [, , name] = context.__smithy_context.operationSchema;
    const output = readReply(name, await bytesOf(response.body));
    const requestId = response.headers["x-amzn-requestid"];
    return {
      response,
      output: Object.assign(output, { $metadata: { httpStatusCode: response.statusCode, requestId } }),
    };
  };
  stack.add(write, { step: "serialize", name: "serializerMiddleware", override: true });
  stack.add(retry, { step: "finalizeRequest", name: "retryMiddleware", priority: "high", override: true });
  // Within the retries, so that each attempt is signed at its own time.
  stack.add(sign, { step: "finalizeRequest", name: "skeinSigning", priority: "low" });
  stack.add(read, { step: "deserialize", name: "deserializerMiddleware", override: true });
  // Each command brings the step that finds the endpoint; all of a client's have the same.
  const { concat } = stack;
  stack.concat = (own) => {
    own.remove("endpointV2Middleware");
    return concat(own);
  };
  return observed(client as any);
}

interface Place {
  url: URL;
  protocol: string;
  hostname: string;
  path: "/";
  port?: number;
}

/** Where the client's requests go, which does not depend on what they ask. */
async function placeOf(input: Record<string, unknown>, config: unknown, context: any): Promise<Place> {
  const { constructor: command } = context.__smithy_context.commandInstance;
  const { url } = await getEndpointFromInstructions(input, command, config as never, context);
  const { protocol, hostname, port } = url;
  return { url, protocol, hostname, path: "/", ...(port && { port: Number(port) }) };
}

/** Errors are told apart and decoded by the service's schemas. */
async function errorOf(
  response: HttpResponse,
  { protocol, ...config }: Insides["config"],
  context: any,
): Promise<unknown> {
  const [, namespace, name, traits, input, output] = context.__smithy_context.operationSchema;
  const operation = { namespace, name, traits, input, output };
  const error = await protocol
    .deserializeResponse(operation, { ...config, ...context }, response)
    .catch((thrown: object) => thrown);
  // Whether and when the call is tried again depends on it.
  return Object.defineProperty(error, "$response", { value: response, enumerable: false });
}

/** What the SDK's strategy must know of a failure. */
const failureOf = (error: any): Failure => ({
  error,
  errorType: isThrottlingError(error)
    ? "THROTTLING"
    : isTransientError(error)
      ? "TRANSIENT"
      : isServerError(error)
        ? "SERVER_ERROR"
        : "CLIENT_ERROR",
  ...(error.$response && { retryAfterHint: getRetryAfterHint(error.$response) }),
});

const bytesOf = (body: IncomingMessage) =>
  new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on("data", (chunk: Buffer) => chunks.push(chunk));
    body.once("end", () => resolve(Buffer.concat(chunks)));
    body.once("error", reject);
    body.once("aborted", () => reject(Object.assign(new Error("The reply broke off"), { code: "ECONNRESET" })));
  });
