import { randomBytes, randomUUID } from "node:crypto";
import { type IncomingMessage, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocket, WebSocketServer } from "ws";
import { type ConnectionEvent, connectionsPath } from "../../shared/connections/connection-route.ts";
import type { ConnectionMember } from "../fleet.ts";
import { runGuarded } from "./guard.ts";
import { httpEvent, urlOf } from "./http-event.ts";

/** Emulates API Gateway's WebSocket API: the same functions as on AWS, called with the same events. */

/** API Gateway's limits for a message from a client in one frame, and for one to a client. */
const maxReceivedBytes = 32 * 1024;
const maxPostedBytes = 128 * 1024;
/** API Gateway ends a connection after ten minutes without a message, and after two hours. */
const maxIdleMs = 600_000;
const maxAgeMs = 7_200_000;
/** A client that does not take what is sent to it is disconnected; it asks for the rest when it has connected again. */
const maxUnsentBytes = 1024 * 1024;

/** How a post ended, as the statuses of API Gateway. */
export type PostStatus = 200 | 410 | 413;

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

interface Connection {
  socket: WebSocket;
  idle: NodeJS.Timeout;
  age: NodeJS.Timeout;
}

/** `beforeOpening` is awaited before each connection. */
export function startSockets(members: readonly ConnectionMember[], beforeOpening: () => Promise<void>): Sockets {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxReceivedBytes, perMessageDeflate: false });
  const connections = new Map<string, Connection>();
  let openingCount = 0;

  const invoke = async (route: "$connect" | "$default", event: ConnectionEvent): Promise<number> => {
    const member = members.find(({ spec }) => spec.route === route);
    if (!member) return 403;
    const { statusCode } = await runGuarded(member.name, member.spec.uses, () => member.handler(event));
    return statusCode as number;
  };

  const open = async (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const url = urlOf(request);
    if (url.pathname !== connectionsPath) return refuse(socket, 404);
    const { headers, requestContext } = httpEvent(request, url, Buffer.alloc(0), {
      routeKey: "$connect",
      pathParameters: {},
    });
    await beforeOpening();
    const connectionId = `${randomBytes(11).toString("base64url")}=`;
    const context = { connectionId, identity: { sourceIp: requestContext.http.sourceIp } };
    const status = await invoke("$connect", {
      requestContext: { ...context, requestId: requestContext.requestId },
      headers,
      queryStringParameters: Object.fromEntries(url.searchParams),
    });
    if (status >= 300) return refuse(socket, status);
    server.handleUpgrade(request, socket, head, (opened) => keep(opened, context));
  };

  const keep = (socket: WebSocket, context: { connectionId: string; identity: { sourceIp: string } }) => {
    const { connectionId } = context;
    const connection = {
      socket,
      idle: setTimeout(() => socket.close(1001, "Going away"), maxIdleMs),
      age: setTimeout(() => socket.close(1001, "Going away"), maxAgeMs),
    };
    connections.set(connectionId, connection);
    socket.on("message", (data: Buffer) => {
      connection.idle.refresh();
      // One after another: a client cannot have this process handle any number of messages at a time.
      socket.pause();
      invoke("$default", { requestContext: { ...context, requestId: randomUUID() }, body: data.toString() })
        .catch((error: unknown) => console.error(error))
        .finally(() => socket.resume());
    });
    // A malformed or oversized message: the connection is closed after this event.
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(connection.idle);
      clearTimeout(connection.age);
      connections.delete(connectionId);
    });
  };

  return {
    upgrade: (request, socket, head) => {
      socket.on("error", () => socket.destroy());
      openingCount++;
      open(request, socket, head)
        .catch((error: unknown) => {
          console.error(error);
          refuse(socket, 500);
        })
        .finally(() => openingCount--);
    },
    post: (connectionId, data) => {
      if (data.length > maxPostedBytes) return 413;
      const connection = connections.get(connectionId);
      if (connection?.socket.readyState !== WebSocket.OPEN) return 410;
      if (connection.socket.bufferedAmount > maxUnsentBytes) {
        connection.socket.terminate();
        return 410;
      }
      connection.idle.refresh();
      connection.socket.send(data, { binary: false });
      return 200;
    },
    end: (connectionId) => {
      const connection = connections.get(connectionId);
      connection?.socket.close(1000);
      return connection !== undefined;
    },
    isConnected: () => connections.size + openingCount > 0,
    close: () => {
      for (const { socket } of connections.values()) socket.terminate();
    },
  };
}

function refuse(socket: Duplex, status: number): void {
  const body = JSON.stringify({ message: STATUS_CODES[status] ?? "Error" });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? "Error"}`,
    "content-type: application/json",
    "x-content-type-options: nosniff",
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
}
