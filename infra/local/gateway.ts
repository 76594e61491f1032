import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { finished } from "node:stream/promises";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { type ApiError, bodyTooLarge, malformedForm } from "../../shared/base/errors.ts";
import { withTrace } from "../../shared/base/observability/trace.ts";
import { maxBodyBytes } from "../../shared/services/http/authenticate.ts";
import type { HttpEvent } from "../../shared/services/http/event.ts";
import { corsHeaders, isPreflight, preflightHeaders } from "../cors.ts";
import { type EndpointMember, type FallbackMember, isUnloaded, type UnloadedEndpoint } from "../fleet.ts";
import { disconnectSignal } from "./disconnect-signal.ts";
import { formEvent, formTimeoutMs, isMultipart, maxFormBytes, readForm } from "./forms/receive-form.ts";
import { runGuarded } from "./guard.ts";
import { isServedHost } from "./host-names.ts";
import { httpEvent, isTrustedProxy, urlOf, withBody } from "./http-event.ts";
import { router } from "./routes.ts";
import { refuseUpgrade, type Sockets } from "./sockets.ts";
import { inTurn, type Lane, Lanes } from "./turns/lanes.ts";
import { NetworkCounts } from "./turns/network-counts.ts";
import type { WakeUpIntegration } from "./wake-up-integration.ts";

/**
 * Longer bodies are read few at a time for each caller, and for nobody whom the endpoint refuses, so that they do not fill the
 * memory.
 */
const maxSmallBodyBytes = 64 * 1024;

/** How long a client has to send the headers, and the whole request. */
const headersTimeoutMs = 20_000;
const requestTimeoutMs = 120_000;

/** Longer replies stay in their caller's lane until the client has taken them, and what the client may pause meanwhile. */
const maxSmallReplyBytes = 64 * 1024;
const replyPauseMs = 60_000;

/** How long a client that was refused may go on sending. */
const drainMs = 5_000;

/** The time limit of endpoints' functions on AWS. */
const functionTimeoutMs = 29_000;

/** Connections of one network, of clients that read and of such that send nothing. An office may share an address. */
const maxConnectionsPerNetwork = 4_000;

/** API Gateway's limit for the request line and headers. */
const maxHeaderBytes = 10_240;

interface GatewayOptions {
  wakeUps?: WakeUpIntegration | undefined;
  /** Serves WebSocket connections. */
  sockets?: Pick<Sockets, "upgrade"> | undefined;
  /** The address to listen on. */
  address?: string;
  /** Values of `Host` to accept in addition to this machine's loopback names; undefined: any. */
  hosts?: readonly string[] | undefined;
  /** Where the files of forms are while they are received. Default: the system's folder for temporary files. */
  uploadFolder?: string;
}

const corsHeaderEntries = Object.entries(corsHeaders);

/** Headers of replies that the gateway makes itself. */
const gatewayHeaders = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Emulates API Gateway: the same routes and handlers as on AWS, called with the same events. */
export async function startGateway(
  endpoints: readonly (EndpointMember | UnloadedEndpoint)[],
  fallback: FallbackMember,
  port: number,
  { wakeUps, sockets, address = "127.0.0.1", hosts, uploadFolder = tmpdir() }: GatewayOptions = {},
): Promise<Server> {
  const findRoute = router(endpoints);
  const lanes = new Lanes();
  const server = createServer({ maxHeaderSize: maxHeaderBytes }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      // The client has gone while it sent the body.
      if (request.destroyed && !request.complete) return;
      console.error(error);
      if (!response.headersSent) response.writeHead(500, gatewayHeaders);
      response.end('{"message":"Internal Server Error"}');
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (hosts && !isServedHost(request.headers.host, hosts)) return refuseHost(request, response);
    if (isPreflight(request.method, request.headers)) return void response.writeHead(204, preflightHeaders).end();
    if (request.headers.origin !== undefined) for (const header of corsHeaderEntries) response.setHeader(...header);
    const length = Number(request.headers["content-length"] ?? 0);
    const url = urlOf(request);
    const { pathname } = url;
    const match = findRoute(request.method ?? "GET", pathname);
    const endpoint = match && (isUnloaded(match.member) ? await match.member.load() : match.member);
    const isSmall = request.headers["transfer-encoding"] === undefined && length <= maxSmallBodyBytes;
    const event = httpEvent(request, url, match?.route ?? { routeKey: "$default", pathParameters: {} });
    const streamsForm = endpoint?.spec.streamsFile === true && isMultipart(request);
    const maxBytes = streamsForm ? maxFormBytes() : maxBodyBytes(endpoint?.spec.caller ?? "anyone", event);
    if (endpoint && length > maxBytes) return refuseBody(request, response);
    /** Resolves with the length of the reply's body, 0 of a refusal. */
    const respond = async (lane: Lane): Promise<number> => {
      // Nobody's long body is read whom the endpoint refuses, and who gets its own refusal.
      if (!endpoint || !(isSmall || (await isAdmitted(endpoint)))) {
        response.once("finish", () => drain(request));
        return handle(event, lane);
      }
      if (streamsForm && !isSmall) return respondToForm(lane);
      const body = await readBody(request, maxBytes);
      if (body) return handle(withBody(event, body), lane);
      refuseBody(request, response);
      return 0;
    };
    const isAdmitted = ({ name, spec, handler }: EndpointMember): Promise<boolean> =>
      runGuarded(name, spec.uses, () =>
        handler.admit(event).then(
          () => true,
          () => false,
        ),
      );
    const respondToForm = async (lane: Lane): Promise<number> => {
      const form = await readForm(request, uploadFolder);
      if (form === "too large" || form === "malformed") {
        refuseInEnvelope(request, response, form === "malformed" ? malformedForm() : bodyTooLarge());
        return 0;
      }
      try {
        return await handle({ ...event, ...formEvent(event, form) }, lane);
      } finally {
        await form.release();
      }
    };
    const handle = async (event: HttpEvent, lane: Lane): Promise<number> => {
      const wakeUpReply = wakeUps?.(request.method ?? "GET", pathname, () => disconnectSignal(response));
      if (wakeUpReply) return write(response, await wakeUpReply, {});
      const { name, spec, handler } = endpoint ?? fallback;
      const context = { functionName: name, getRemainingTimeInMillis: () => functionTimeoutMs };
      const isLongPoll = endpoint?.spec.longPoll === true;
      const done = await inTurn(lane, isLongPoll, async () =>
        lane.isFull()
          ? undefined
          : withTrace<APIGatewayProxyStructuredResultV2>(() =>
              runGuarded(name, spec.uses, () => handler(event, context as never)),
            ),
      );
      if (!done) {
        refuseBurst(request, response);
        return 0;
      }
      const { result, trace } = done;
      if (event.caller) lanes.remember(event, event.caller.id);
      return write(response, result, {
        "x-skein-read-units": String(trace.readUnits),
        "x-skein-write-units": String(trace.writeUnits),
        "x-skein-table-calls": String(trace.tableCalls),
        "x-skein-stages": String(trace.stages),
      });
    };
    const done = await lanes.run(event, async (lane) => {
      const replyBytes = await (isSmall ? respond(lane) : lane.bodies.run(() => respond(lane)));
      if (replyBytes > maxSmallReplyBytes) await untilTaken(response, lane, replyBytes);
      return true;
    });
    if (!done) refuseBurst(request, response);
  };
  server.on("clientError", refuseRequest);
  // Of a request that expects anything but `100-continue`. Node's own refusal has no headers and no body.
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, 417, "Expectation Failed"),
  );
  const networks = new NetworkCounts(maxConnectionsPerNetwork);
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || isTrustedProxy(remoteAddress)) return;
    const release = networks.take(remoteAddress);
    if (release) socket.once("close", release);
    else socket.destroy();
  });
  if (sockets)
    server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (hosts && !isServedHost(request.headers.host, hosts)) return refuseUpgrade(socket, 421);
      sockets.upgrade(request, socket, head);
    });
  // Long enough for clients to reuse connections between long polls of a minute.
  server.keepAliveTimeout = 75_000;
  server.headersTimeout = headersTimeoutMs;
  server.requestTimeout = formTimeoutMs;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  return server;
}

const emptyBody = Buffer.alloc(0);

/** Undefined for a body of more than `maxBytes`. */
async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined) return emptyBody;
  const chunks: Buffer[] = [];
  let size = 0;
  const timer = setTimeout(() => request.destroy(), requestTimeoutMs);
  request.once("close", () => clearTimeout(timer));
  // A loop that is left would destroy the request, and the client see a connection reset instead of the refusal.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  clearTimeout(timer);
  return Buffer.concat(chunks);
}

/** Answers a malformed request and drains the rest of it, since the client would otherwise see a connection reset. */
function refuseRequest(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const body = JSON.stringify({ message: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  setTimeout(() => socket.destroy(), drainMs);
  return socket.resume();
}

/** Refuses a request whose body may not have been read, and drains that for a while, as `refuseRequest` does. */
function refuse(request: IncomingMessage, response: ServerResponse, status: number, message: string, headers = {}) {
  response.writeHead(status, { ...gatewayHeaders, ...headers, ...(!request.complete && { connection: "close" }) });
  response.end(JSON.stringify({ message }));
  drain(request);
}

/** As `refuse`, in the envelope of the API, which API Gateway cannot write. */
function refuseInEnvelope(request: IncomingMessage, response: ServerResponse, { status, code, message }: ApiError) {
  // Without `Connection: close`, after which Node would close at once, and a client that sends would see a reset before the reply.
  response.writeHead(status, { ...gatewayHeaders, "cache-control": "no-store" });
  response.end(JSON.stringify({ result: "error", msg: message, code }));
  drain(request);
}

/** Reads the rest of a body for a while, since the client would otherwise see a connection reset. */
function drain(request: IncomingMessage) {
  request.resume();
  if (request.complete) return;
  const timer = setTimeout(() => request.socket.destroy(), drainMs);
  request.once("close", () => clearTimeout(timer));
}

const refuseBody = (request: IncomingMessage, response: ServerResponse) =>
  refuseInEnvelope(request, response, bodyTooLarge());

/** As API Gateway refuses requests above its throttle. */
const refuseBurst = (request: IncomingMessage, response: ServerResponse) =>
  refuse(request, response, 429, "Too Many Requests", { "retry-after": "1" });

const refuseHost = (request: IncomingMessage, response: ServerResponse) =>
  refuse(
    ...([request, response] as const),
    421,
    "Misdirected Request: this host serves only the names of this machine and those in SKEIN_HOSTS",
  );

/** Lambda's limit for a result, counted as JSON text; API Gateway answers 500 for a larger one. */
const maxReplyBytes = 6 * 1024 * 1024;
// JSON escapes lengthen an ordinary body to at most twice its size, and base64 not at all, so that most results need not be serialized
// to be measured.
function isTooLarge(result: APIGatewayProxyStructuredResultV2, bodyBytes: number): boolean {
  if (bodyBytes * 2 <= maxReplyBytes) return false;
  const [measured, counted] = result.isBase64Encoded ? [{ ...result, body: "" }, bodyBytes] : [result, 0];
  return counted + Buffer.byteLength(JSON.stringify(measured)) > maxReplyBytes;
}

/** Waits until a reply is no longer in memory; a client that takes nothing of it for too long is disconnected. */
async function untilTaken(response: ServerResponse, lane: Lane, bytes: number): Promise<void> {
  lane.untakenBytes += bytes;
  response.setTimeout(replyPauseMs, () => response.destroy());
  // Rejects if the client has gone.
  await finished(response).catch(() => undefined);
  lane.untakenBytes -= bytes;
}

/** Returns the length of the body. */
function write(
  response: ServerResponse,
  result: APIGatewayProxyStructuredResultV2,
  costHeaders: Record<string, string>,
): number {
  const text = result.body ?? "";
  const bodyBytes = Buffer.byteLength(text);
  if (isTooLarge(result, bodyBytes)) {
    response.writeHead(500, gatewayHeaders);
    response.end('{"message":"Internal Server Error"}');
    return 0;
  }
  const headers = Object.fromEntries(
    Object.entries(result.headers ?? {}).map(([name, value]) => [name, String(value)]),
  );
  const body = result.isBase64Encoded ? Buffer.from(text, "base64") : text;
  const length = typeof body === "string" ? bodyBytes : body.length;
  response.writeHead(result.statusCode ?? 200, {
    ...headers,
    ...costHeaders,
    ...(result.cookies && { "set-cookie": result.cookies }),
    "content-length": String(length),
  });
  response.end(body);
  return length;
}
