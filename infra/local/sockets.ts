import { randomBytes, randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { type ConnectionEvent, connectionsPath } from "../../shared/services/connections/connection-route.ts";
import type { HttpEvent } from "../../shared/services/http/event.ts";
import type { ConnectionMember } from "../fleet.ts";
import { runGuarded } from "./guard.ts";
import { httpEvent, urlOf } from "./http-event.ts";
import { NetworkCounts } from "./turns/network-counts.ts";
import { Turns } from "./turns/turns.ts";

/** Emulates API Gateway's WebSocket API: the same functions as on AWS, called with the same events. */

/** API Gateway's limits for a message from a client in one frame, and for one to a client. */
const maxReceivedBytes = 32 * 1024;
const maxPostedBytes = 128 * 1024;
/** API Gateway ends a connection after ten minutes without a message, and after two hours. */
const maxIdleMs = 600_000;
const maxAgeMs = 7_200_000;
/** A client that does not take what is sent to it is disconnected; it asks for the rest when it has connected again. */
const maxUnsentBytes = 1024 * 1024;
/** Of all connections together: from there on, every client that is behind is disconnected. */
const maxUnsentBytesOfAll = 64 * 1024 * 1024;
/** How long their sum holds: one message may be posted to thousands of connections, each of which asks for it. */
const addingUpMs = 50;

/** Messages of a connection that wait while an earlier one is answered: a client that sends more does not wait for answers. */
const maxWaitingMessages = 32;
/** What a connection may send, in frames of any kind, in each period. Clients send a few hundred bytes every few minutes. */
const maxBytesPerPeriod = 256 * 1024;
const periodMs = 10_000;
/** How long a client that is disconnected has to read why. */
const closeMs = 1_000;

/** Openings and messages that are worked on at a time, so that they hold up no other requests when many come at once. */
const maxRunning = 3;
/** Clients that wait for their connection: a whole organization may return at once. */
const maxOpening = 2_000;
const maxOpeningPerNetwork = 1_000;
/** Connections of one network, opened ones and such that wait. */
const maxConnectionsPerNetwork = 2_000;

/** How a post ended, as the statuses of API Gateway. */
type PostStatus = 200 | 410 | 413;

export interface Sockets {
  /** Answers a request to upgrade: opens a connection if the function for `$connect` accepts it. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  post(connectionId: string, data: Buffer): PostStatus;
  /** False if there is no such connection. */
  end(connectionId: string): boolean;
  /** Whether anybody is connected, or about to be. */
  isConnected(): boolean;
  close(): void;
}

/** What is known of a connection when it is opened. */
interface Context {
  connectionId: string;
  identity: { sourceIp: string };
}

interface Connection {
  socket: WebSocket;
  idle: NodeJS.Timeout;
  age: NodeJS.Timeout;
  /** Messages that have not been answered, without the one that is being answered. */
  waiting: string[];
  isAnswering: boolean;
  isRefused: boolean;
}

/** `beforeOpening` is awaited before each connection. */
export function startSockets(members: readonly ConnectionMember[], beforeOpening: () => Promise<void>): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxReceivedBytes, perMessageDeflate: false });
  const connections = new Map<string, Connection>();
  const turns = new Turns(maxRunning);
  const openings = new NetworkCounts(maxOpeningPerNetwork);
  const networks = new NetworkCounts(maxConnectionsPerNetwork);
  let openingCount = 0;

  const invoke = async (route: "$connect" | "$default", event: ConnectionEvent): Promise<number> => {
    const member = members.find(({ spec }) => spec.route === route);
    if (!member) return 403;
    const { statusCode } = await runGuarded(member.name, member.spec.uses, () => member.handler(event));
    return statusCode as number;
  };

  const open = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = urlOf(request);
    if (url.pathname !== connectionsPath) return refuseUpgrade(socket, 404);
    const event = httpEvent(request, url, { routeKey: "$connect", pathParameters: {} });
    const { sourceIp } = event.requestContext.http;
    // A client that has given up emits no other event.
    if (socket.destroyed) return;
    const endConnection = networks.take(sourceIp);
    if (!endConnection) return refuseUpgrade(socket, 429);
    socket.once("close", endConnection);
    const endOpening = openingCount > maxOpening ? undefined : openings.take(sourceIp);
    if (!endOpening) return refuseUpgrade(socket, 429);
    try {
      await turns.run(() => connect(event, url, { request, socket, head }));
    } finally {
      endOpening();
    }
  };

  const connect = async (
    { headers, requestContext }: HttpEvent,
    url: URL,
    { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  ) => {
    // A client that has given up while it waited.
    if (socket.destroyed) return;
    await beforeOpening();
    const connectionId = `${randomBytes(11).toString("base64url")}=`;
    const context = { connectionId, identity: { sourceIp: requestContext.http.sourceIp } };
    const status = await invoke("$connect", {
      requestContext: { ...context, requestId: requestContext.requestId },
      headers,
      queryStringParameters: Object.fromEntries(url.searchParams),
    });
    if (status >= 300) return refuseUpgrade(socket, status);
    server.handleUpgrade(request, socket, head, (opened) => keep(opened, socket, context));
  };

  const keep = (socket: WebSocket, stream: Duplex, context: Context) => {
    const { connectionId } = context;
    const connection: Connection = {
      socket,
      idle: setTimeout(() => socket.close(1001, "Going away"), maxIdleMs),
      age: setTimeout(() => socket.close(1001, "Going away"), maxAgeMs),
      ...{ waiting: [], isAnswering: false, isRefused: false },
    };
    connections.set(connectionId, connection);
    socket.on("message", (data: Buffer) => {
      if (connection.isRefused) return;
      connection.idle.refresh();
      if (connection.waiting.length >= maxWaitingMessages) return end(connection, tooMany.code, tooMany.reason);
      connection.waiting.push(data.toString());
      if (!connection.isAnswering) answer(connection, context).catch((error: unknown) => console.error(error));
    });
    // Bytes include pings and pieces of messages, which cause no other event or none that costs a function's time.
    let [periodEnd, bytes] = [0, 0];
    stream.on("data", (chunk: Buffer) => {
      const now = Date.now();
      if (now >= periodEnd) [periodEnd, bytes] = [now + periodMs, 0];
      bytes += chunk.length;
      if (bytes > maxBytesPerPeriod && !connection.isRefused) end(connection, tooMany.code, tooMany.reason);
    });
    // A malformed or oversized message: the connection is closed after this event.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(connection.idle);
      clearTimeout(connection.age);
      connections.delete(connectionId);
    });
  };

  /** Answers messages one after another: a client cannot have this process handle any number of them at a time. */
  const answer = async (connection: Connection, context: Context) => {
    connection.isAnswering = true;
    for (let body = connection.waiting.shift(); body !== undefined; body = connection.waiting.shift()) {
      const message: ConnectionEvent = { requestContext: { ...context, requestId: randomUUID() }, body };
      await turns
        .run(async () => (connection.isRefused ? undefined : invoke("$default", message)))
        .catch((error: unknown) => console.error(error));
    }
    connection.isAnswering = false;
  };

  let [unsentBytes, addedUpAt] = [0, 0];
  const unsentBytesOfAll = () => {
    const now = performance.now();
    if (now - addedUpAt > addingUpMs) {
      addedUpAt = now;
      unsentBytes = connections.values().reduce((sum, { socket }) => sum + socket.bufferedAmount, 0);
    }
    return unsentBytes;
  };

  return {
    upgrade: (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      openingCount++;
      open(request, socket, head)
        .catch((error: unknown) => {
          console.error(error);
          refuseUpgrade(socket, 500);
        })
        .finally(() => openingCount--);
    },
    post: (connectionId, data) => {
      if (data.length > maxPostedBytes) return 413;
      const connection = connections.get(connectionId);
      if (connection?.socket.readyState !== WebSocket.OPEN) return 410;
      const { bufferedAmount } = connection.socket;
      if (bufferedAmount > maxUnsentBytes || (bufferedAmount > 0 && unsentBytesOfAll() > maxUnsentBytesOfAll)) {
        connection.socket.terminate();
        return 410;
      }
      connection.idle.refresh();
      connection.socket.send(data, { binary: false });
      return 200;
    },
    end: (connectionId) => {
      const connection = connections.get(connectionId);
      // A client that is ended while its messages wait has not waited for answers.
      if (connection?.waiting.length) end(connection, tooMany.code, tooMany.reason);
      else if (connection) end(connection, 1000);
      return connection !== undefined;
    },
    isConnected: () => connections.size + openingCount > 0,
    close: () => {
      for (const { socket } of connections.values()) socket.terminate();
    },
  };
}

/** What a client is told that sends more than it may. */
const tooMany = { code: 1008, reason: "Too many messages" };

/** Closes a connection, and reads nothing more of it: `ws` would otherwise wait for the client to close it. */
function end(connection: Connection, code: number, reason?: string): void {
  connection.isRefused = true;
  connection.waiting.length = 0;
  connection.socket.close(code, reason);
  setTimeout(() => connection.socket.terminate(), closeMs).unref();
  if (code === tooMany.code) connection.socket.pause();
}

/** Answers a request to upgrade with an error, and closes its socket whether the client does or not. */
export function refuseUpgrade(socket: Duplex, status: number): void {
  if (socket.listenerCount("error") === 0) socket.on("error", () => socket.destroy());
  const body = JSON.stringify({ message: STATUS_CODES[status] ?? "Error" });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "content-type: application/json",
    "x-content-type-options: nosniff",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  setTimeout(() => socket.destroy(), closeMs).unref();
}
