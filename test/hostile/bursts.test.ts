import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";

/**
 * On one machine, no burst of one person holds up the requests of another. Times are compared with those of
 * the same requests while it is quiet.
 */

const attacker = "viola@globe.test";
const other = "owner@globe.test";
const maxRatio = 5;
/** What this process adds to a request while it makes the burst itself. */
const slackMs = 50;

let host: PrivateHost;
let quietMs: number;

beforeAll(async () => {
  // Five times the default, which the requests of the others would reach.
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "1000/60" });
  for (let count = 0; count < 20; count++) await requestMs();
  quietMs = median(await timesOf(20));
});
afterAll(() => host?.stop());

async function requestMs(): Promise<number> {
  const start = performance.now();
  await host.do(other, "GET", "/users/me");
  return performance.now() - start;
}

async function timesOf(count: number): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) times.push(await requestMs());
  return times;
}

const median = (times: number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

/** Makes requests of somebody else, again and again, until a burst is over. */
async function expectQuietDuring(burst: () => Promise<unknown>): Promise<void> {
  const times: number[] = [];
  let isOver = false;
  const done = burst().finally(() => {
    isOver = true;
  });
  // At least ten, also if the burst is refused at once.
  while (!isOver || times.length < 10) {
    times.push(await requestMs());
    await pause(50);
  }
  await done;
  expect(median(times)).toBeLessThan(maxRatio * quietMs + slackMs);
}

async function queueOf(email: string): Promise<string> {
  const options = { event_types: ["message"], fetch_event_types: ["message"] };
  return (await host.do(email, "POST", "/register", options)).queue_id as string;
}

const ticketUrl = async (email: string, queue_id: string): Promise<string> =>
  (await host.do(email, "POST", "/events/connection", { queue_id })).url as string;

/** Resolves with the code with which the connection is closed, or the status with which it is refused. */
const closed = (socket: WebSocket): Promise<number> =>
  new Promise((resolve) => {
    socket.once("close", resolve);
    socket.once("unexpected-response", (_, { statusCode = 0 }) => resolve(statusCode));
    socket.on("error", () => {});
  });

async function connected(email: string): Promise<{ socket: WebSocket; queueId: string }> {
  const queueId = await queueOf(email);
  const socket = new WebSocket(await ticketUrl(email, queueId));
  onTestFinished(() => socket.terminate());
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return { socket, queueId };
}

test.each([
  ["acknowledgements", (queue_id: string) => JSON.stringify({ type: "acknowledge", queue_id, last_event_id: -1 })],
  ["texts that are no messages", () => "x".repeat(100)],
  [
    "acknowledgements of another's queue",
    () => JSON.stringify({ type: "acknowledge", queue_id: "0", last_event_id: -1 }),
  ],
])("10,000 %s in one burst close the connection with 1008", async (_, textFor) => {
  const { socket, queueId } = await connected(attacker);
  const text = textFor(queueId);
  let answers = 0;
  socket.on("message", () => answers++);

  await expectQuietDuring(async () => {
    const code = closed(socket);
    for (let count = 0; count < 10_000; count++) socket.send(text);
    expect(await code).toBe(1008);
  });

  expect(answers).toBeLessThan(100);
});

test("a burst of pings, or of messages in many pieces, closes the connection", async () => {
  for (const send of [
    (socket: WebSocket) => socket.ping("x".repeat(100)),
    (socket: WebSocket) => socket.send("", { fin: false }),
  ]) {
    const { socket } = await connected(attacker);
    await expectQuietDuring(async () => {
      const code = closed(socket);
      let isOpen = true;
      code.finally(() => {
        isOpen = false;
      });
      for (let count = 0; isOpen && count < 200_000; count++) {
        send(socket);
        if (count % 1000 === 0) await pause(1);
      }
      expect([1006, 1008]).toContain(await code);
    });
  }
});

test("a client that sends faster than it may, without a burst, is told so and disconnected", async () => {
  const { socket, queueId } = await connected(attacker);
  const messages: { type: string; code?: string }[] = [];
  const code = closed(socket);
  const acknowledge = () => socket.send(JSON.stringify({ type: "acknowledge", queue_id: queueId, last_event_id: -1 }));
  socket.on("message", (data) => {
    messages.push(JSON.parse(String(data)));
    if (socket.readyState === WebSocket.OPEN) acknowledge();
  });

  acknowledge();

  expect(await code).toBe(1000);
  expect(messages.length).toBeLessThan(30);
  expect(messages.at(-1)).toMatchObject({ type: "error", code: "RATE_LIMIT_HIT" });
});

test("500 connections at once, of which many have a ticket, are opened without holding up others", async () => {
  const queueIds: string[] = [];
  for (let count = 0; count < 20; count++) queueIds.push(await queueOf(attacker));
  const urls: string[] = [];
  for (const queueId of queueIds) urls.push(await ticketUrl(attacker, queueId));
  const sockets: WebSocket[] = [];
  onTestFinished(() => {
    for (const socket of sockets) socket.terminate();
  });
  let opened = 0;

  await expectQuietDuring(async () => {
    const results = Array.from({ length: 500 }, (_, index) => {
      const socket = new WebSocket(urls[index % urls.length] as string);
      sockets.push(socket);
      return new Promise((resolve) => {
        socket.once("open", () => {
          opened++;
          resolve(0);
        });
        closed(socket).then(resolve);
      });
    });
    await Promise.all(results);
  });

  // Each ticket is good for one.
  expect(opened).toBe(urls.length);
});

test("a flood of bad tickets does not hold up others, who can still connect", async () => {
  const [claim] = (await ticketUrl(attacker, await queueOf(attacker))).split(/\.[^.]*$/);
  const address = host.url.replace("http", "ws");

  await expectQuietDuring(async () => {
    for (let round = 0; round < 40; round++) {
      const statuses = await Promise.all(
        Array.from({ length: 25 }, (_, index) =>
          closed(new WebSocket(index % 2 ? `${address}/connections?ticket=x${index}` : `${claim}.${"A".repeat(43)}`)),
        ),
      );
      for (const status of statuses) expect([401, 429]).toContain(status);
    }
  });

  const { socket } = await connected(other);
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

test.each<[string, () => Promise<{ status: number | undefined }>]>([
  ["of one account", () => host.raw(attacker, "/messages?anchor=newest&num_before=100&num_after=0")],
  ["without valid credentials", () => fetch(`${host.url}/api/v1/users/me`, { headers: { authorization: madeUp() } })],
])("500 requests at once %s do not hold up others", async (_, request) => {
  await host.do(attacker, "GET", "/users/me");

  await expectQuietDuring(async () => {
    const replies = await Promise.allSettled(Array.from({ length: 500 }, request));
    const statuses = replies.flatMap((reply) => (reply.status === "fulfilled" ? [reply.value.status] : []));
    expect(statuses.length).toBeGreaterThan(0);
    for (const status of statuses) expect([200, 401, 429]).toContain(status);
  });
});

const madeUp = () => `Basic ${Buffer.from(`a${Math.random()}@globe.test:${"A".repeat(32)}`).toString("base64")}`;

test("a body that is too large is refused before it is sent, and one that never ends holds up nobody", async () => {
  const { hostname, port } = new URL(host.url);
  const begin = (length: number) => {
    const socket = connect(Number(port), hostname);
    onTestFinished(() => void socket.destroy());
    socket.on("error", () => {});
    socket.write(`POST /api/v1/messages HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${length}\r\n\r\nx`);
    return socket;
  };
  const tooLarge = begin(100 * 1024 * 1024);

  const [head] = await once(tooLarge, "data");
  for (let count = 0; count < 300; count++) begin(1024 * 1024);

  expect(String(head)).toContain("HTTP/1.1 413 ");
  await expectQuietDuring(async () => {});
});
