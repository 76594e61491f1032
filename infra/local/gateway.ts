import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { withTrace } from "../../shared/observability/trace.ts";
import { corsHeaders, isPreflight, preflightHeaders } from "../cors.ts";
import type { EndpointMember, FallbackMember } from "../fleet.ts";
import { disconnectSignal } from "./disconnect-signal.ts";
import { runGuarded } from "./guard.ts";
import { isServedHost } from "./host-names.ts";
import { httpEvent, urlOf } from "./http-event.ts";
import { router } from "./routes.ts";
import type { Sockets } from "./sockets.ts";
import type { WakeUpIntegration } from "./wake-up-integration.ts";

/** API Gateway's limit for a request body. */
const maxRequestBodyBytes = 10 * 1024 * 1024;

/** The time limit of endpoints' functions on AWS. */
const functionTimeoutMs = 29_000;

/** API Gateway's limit for the request line and headers. */
const maxHeaderBytes = 10_240;

export interface GatewayOptions {
  wakeUps?: WakeUpIntegration | undefined;
  /** Serves WebSocket connections. */
  sockets?: Pick<Sockets, "upgrade"> | undefined;
  /** The address to listen on. */
  address?: string;
  /** Values of `Host` to accept in addition to this machine's loopback names; undefined: any. */
  hosts?: readonly string[] | undefined;
}

const corsHeaderEntries = Object.entries(corsHeaders);

/** Headers of replies that the gateway makes itself. */
const gatewayHeaders = { "content-type": "application/json", "x-content-type-options": "nosniff" };

/** Emulates API Gateway: the same routes and handlers as on AWS, called with the same events. */
export async function startGateway(
  endpoints: readonly EndpointMember[],
  fallback: FallbackMember,
  port: number,
  { wakeUps, sockets, address = "127.0.0.1", hosts }: GatewayOptions = {},
): Promise<Server> {
  const findRoute = router(endpoints);
  const server = createServer({ maxHeaderSize: maxHeaderBytes }, (request, response) => {
    answer(request, response).catch((error: unknown) => {
      console.error(error);
      if (!response.headersSent) response.writeHead(500, gatewayHeaders);
      response.end('{"message":"Internal Server Error"}');
    });
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (hosts && !isServedHost(request.headers.host, hosts)) return refuseHost(request, response);
    if (isPreflight(request.method, request.headers)) return void response.writeHead(204, preflightHeaders).end();
    if (request.headers.origin !== undefined) for (const header of corsHeaderEntries) response.setHeader(...header);
    const body = await readBody(request);
    if (!body) return refuseBody(response);
    const url = urlOf(request);
    const { pathname } = url;
    const wakeUpReply = wakeUps?.(request.method ?? "GET", pathname, () => disconnectSignal(response));
    if (wakeUpReply) return write(response, await wakeUpReply, {});
    const match = findRoute(request.method ?? "GET", pathname);
    const event = httpEvent(request, url, body, match?.route ?? { routeKey: "$default", pathParameters: {} });
    const { name, spec, handler } = match?.member ?? fallback;
    const context = { functionName: name, getRemainingTimeInMillis: () => functionTimeoutMs };
    const { result, trace } = await withTrace<APIGatewayProxyStructuredResultV2>(() =>
      runGuarded(name, spec.uses, () => handler(event, context as never)),
    );
    write(response, result, {
      "x-skein-read-units": String(trace.readUnits),
      "x-skein-write-units": String(trace.writeUnits),
      "x-skein-table-calls": String(trace.tableCalls),
      "x-skein-stages": String(trace.stages),
    });
  };
  server.on("clientError", refuseRequest);
  if (sockets)
    server.on("upgrade", (request: IncomingMessage, socket: Socket, head: Buffer) => {
      if (hosts && !isServedHost(request.headers.host, hosts))
        return void socket.end("HTTP/1.1 421 Misdirected Request\r\n\r\n");
      sockets.upgrade(request, socket, head);
    });
  // Long enough for clients to reuse connections between long polls of a minute.
  server.keepAliveTimeout = 75_000;
  server.requestTimeout = 120_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, address, resolve);
  });
  return server;
}

const emptyBody = Buffer.alloc(0);

async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const { "content-length": length, "transfer-encoding": encoding } = request.headers;
  if (length === undefined && encoding === undefined) return emptyBody;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxRequestBodyBytes) chunks.push(chunk);
  }
  return size > maxRequestBodyBytes ? undefined : Buffer.concat(chunks);
}

/** Answers a malformed request and drains the rest of it, since the client would otherwise see a connection reset. */
function refuseRequest(error: NodeJS.ErrnoException, socket: Socket) {
  if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
  const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
  const body = JSON.stringify({ message: status.slice(4) });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\nx-content-type-options: nosniff\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
  socket.setTimeout(5_000, () => socket.destroy());
  return socket.resume();
}

const refuseBody = (response: ServerResponse) => {
  response.writeHead(413, gatewayHeaders);
  response.end('{"message":"Request Entity Too Large"}');
};

function refuseHost(request: IncomingMessage, response: ServerResponse) {
  const message = "Misdirected Request: SKEIN_HOSTS names the hosts that are served here besides this machine's own";
  request.resume();
  response.writeHead(421, gatewayHeaders);
  response.end(JSON.stringify({ message }));
}

/** Lambda's limit for a result, counted as JSON text; API Gateway answers 500 for a larger one. */
const maxReplyBytes = 6 * 1024 * 1024;
// JSON escapes lengthen an ordinary body to at most twice its size, so that most results need not be serialized to be measured.
const isTooLarge = (result: APIGatewayProxyStructuredResultV2, bodyBytes: number) =>
  bodyBytes * 2 > maxReplyBytes && Buffer.byteLength(JSON.stringify(result)) > maxReplyBytes;

function write(
  response: ServerResponse,
  result: APIGatewayProxyStructuredResultV2,
  costHeaders: Record<string, string>,
) {
  const text = result.body ?? "";
  const bodyBytes = Buffer.byteLength(text);
  if (isTooLarge(result, bodyBytes)) {
    response.writeHead(500, gatewayHeaders);
    response.end('{"message":"Internal Server Error"}');
    return;
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
}
