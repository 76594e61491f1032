import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import type { Burst, Call } from "./bursts.ts";

/**
 * Makes a burst in a process of its own, so that the requests by which a test measures it do not wait for the burst's own work.
 * Reads the burst as a line of JSON, and writes what became of it as another.
 */

/** Resolves with the code with which the connection is closed, or the status with which it is refused. */
const closed = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => {
    socket.once("close", resolve);
    socket.once("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
    socket.on("error", () => {});
  });

const opened = (socket: WebSocket): Promise<number> =>
  Promise.race([new Promise<number>((resolve) => socket.once("open", () => resolve(101))), closed(socket)]);

const sockets: (WebSocket | Socket)[] = [];
const open = (url: string): WebSocket => {
  const socket = new WebSocket(url, { handshakeTimeout: 60_000 });
  sockets.push(socket);
  return socket;
};

async function statusOf(
  url: string,
  authorization: string,
  { method, path, params = {}, fileBytes }: Call,
): Promise<number> {
  const fields = Object.entries(params).map(([name, value]): [string, string] => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
  const query = new URLSearchParams(method === "GET" ? fields : []);
  const form = new FormData();
  if (fileBytes !== undefined) form.append("file", new Blob([new Uint8Array(fileBytes)]), "file.bin");
  const body = method === "GET" ? undefined : fileBytes === undefined ? new URLSearchParams(fields) : form;
  try {
    const reply = await fetch(`${url}/api/v1${path}?${query}`, {
      method,
      headers: { authorization },
      ...(body && { body }),
    });
    await reply.arrayBuffer();
    return reply.status;
  } catch {
    return 0;
  }
}

const makers: { [Kind in Burst["kind"]]: (burst: Extract<Burst, { kind: Kind }>) => Promise<number[]> } = {
  /** The code with which a connection is closed that sends many messages at once, and how many answers it got. */
  frames: async ({ url, text, count }) => {
    const socket = open(url);
    await opened(socket);
    let answers = 0;
    socket.on("message", () => answers++);
    const code = closed(socket);
    for (let sent = 0; sent < count; sent++) socket.send(text);
    return [await code, answers];
  },
  /** The statuses of connections that are opened at once. */
  connections: ({ urls }) => Promise.all(urls.map((url) => opened(open(url)))),
  /** The statuses of requests that are made at once, by POST if there is a form; 0 for those without an answer. */
  requests: ({ url, authorization, count, form }) =>
    Promise.all(
      Array.from({ length: count }, () =>
        fetch(url, {
          headers: { authorization },
          ...(form !== undefined && { method: "POST", body: new URLSearchParams(form) }),
        }).then(
          async (reply) => {
            await reply.arrayBuffer();
            return reply.status;
          },
          () => 0,
        ),
      ),
    ),
  /** The statuses of calls that are made at once; 0 for those without an answer. */
  calls: ({ url, authorization, calls }) => Promise.all(calls.map((call) => statusOf(url, authorization, call))),
  /** How many connections without a request stay open, of so many. */
  idle: async ({ url, count, localAddress }) => {
    const { hostname, port } = new URL(url);
    let ended = 0;
    for (let number = 0; number < count; number++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress });
      socket.on("error", () => {});
      socket.once("close", () => ended++);
      sockets.push(socket);
      if (number % 100 === 99) await pause(5);
    }
    await pause(1000);
    return [count - ended];
  },
};

const lines = createInterface({ input: process.stdin });
const [line] = (await once(lines, "line")) as [string];
const burst = JSON.parse(line) as Burst;
const outcome = await makers[burst.kind](burst as never);
console.log(JSON.stringify(outcome));
// What is open stays so until the test has measured.
await once(lines, "close");
for (const socket of sockets) socket instanceof WebSocket ? socket.terminate() : socket.destroy();
process.exit(0);
