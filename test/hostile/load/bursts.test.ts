import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { aPrivateHost, type PrivateHost } from "../../support/hosts/private-host.ts";
import { burstFromChild } from "../../support/outside/bursts.ts";
import { QuietTimes } from "../../support/outside/quiet-times.ts";

/**
 * On one machine, no burst of one person holds up the requests of another. Times are compared with those of
 * the same requests while it is quiet.
 */

const attacker = "viola@globe.test";
const other = "owner@globe.test";

let host: PrivateHost;
let quiet: QuietTimes;

beforeAll(async () => {
  // More than the default, which the requests of the others would reach.
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "5000/60" });
  quiet = await QuietTimes.measure(() => host.do(other, "GET", "/users/me"));
});
afterAll(() => host?.stop());

const expectQuietDuring = <T>(burst: () => Promise<T>): Promise<T> => quiet.expectDuring(burst);

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

test.each<[string, (queueId: string) => string, number[]?]>([
  ["acknowledgements", (queue_id: string) => JSON.stringify({ type: "acknowledge", queue_id, last_event_id: -1 })],
  ["texts that are no messages", () => "x".repeat(100)],
  [
    "acknowledgements of another's queue",
    () => JSON.stringify({ type: "acknowledge", queue_id: "0", last_event_id: -1 }),
    // The first one ends the connection, perhaps before the next has arrived.
    [1000, 1008],
  ],
])("10,000 %s in one burst close the connection", async (_, textFor, codes = [1008]) => {
  const queueId = await queueOf(attacker);
  const [url, text] = [await ticketUrl(attacker, queueId), textFor(queueId)];

  const [code, answers] = await expectQuietDuring(() => burstFromChild({ kind: "frames", url, text, count: 10_000 }));

  expect(codes).toContain(code);
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

test("500 clients that connect again at once are connected without holding up others", async () => {
  const people = Array.from({ length: 10 }, (_, number) => `sailor${number}@globe.test`);
  const queues: { email: string; queueId: string }[] = [];
  for (const email of people)
    await host.do(other, "POST", "/users", { email, full_name: email.slice(0, 7), password: "a-tempest-tossed-crew" });
  await Promise.all(
    people.map(async (email) => {
      for (let count = 0; count < 50; count++) queues.push({ email, queueId: await queueOf(email) });
    }),
  );
  const urls = await Promise.all(queues.map(({ email, queueId }) => ticketUrl(email, queueId)));

  const statuses = await expectQuietDuring(() => burstFromChild({ kind: "connections", urls }));

  expect(statuses).toEqual(urls.map(() => 101));
  // Each ticket is good for one.
  const again = await expectQuietDuring(() => burstFromChild({ kind: "connections", urls }));
  for (const status of again) expect([401, 429]).toContain(status);
});

test("a flood of bad tickets does not hold up others, who can still connect", async () => {
  const [claim] = (await ticketUrl(attacker, await queueOf(attacker))).split(/\.[^.]*$/);
  const address = host.url.replace("http", "ws");
  const urls = Array.from({ length: 1000 }, (_, index) =>
    index % 2 ? `${address}/connections?ticket=x${index}` : `${claim}.${"A".repeat(43)}`,
  );

  const statuses = await expectQuietDuring(() => burstFromChild({ kind: "connections", urls }));

  for (const status of statuses) expect([401, 429]).toContain(status);
  const { socket } = await connected(other);
  expect(socket.readyState).toBe(WebSocket.OPEN);
});

test.each<[string, string, () => Promise<string>]>([
  ["of one account", "/messages?anchor=newest&num_before=100&num_after=0", () => host.credentialsOf(attacker)],
  ["without valid credentials", "/users/me", async () => madeUp()],
])("2,000 requests at once %s do not hold up others", async (_, path, credentials) => {
  await host.do(attacker, "GET", "/users/me");
  const [url, authorization] = [`${host.url}/api/v1${path}`, await credentials()];

  const statuses = await expectQuietDuring(() => burstFromChild({ kind: "requests", url, authorization, count: 2000 }));

  expect(statuses.filter((status) => status > 0).length).toBeGreaterThan(0);
  for (const status of statuses) expect([0, 200, 401, 429]).toContain(status);
});

const madeUp = () => `Basic ${Buffer.from(`a${Math.random()}@globe.test:${"A".repeat(32)}`).toString("base64")}`;

test("an address can keep 4,000 connections open, beside those of others", async () => {
  const burst = { kind: "idle", url: host.url, count: 4100, localAddress: "127.0.0.9" } as const;

  const [open] = await expectQuietDuring(() => burstFromChild(burst));

  expect(open).toBe(4000);
  await host.do(other, "GET", "/users/me");
});

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

test("a client that reads no replies does not fill the memory", async () => {
  const form = new FormData();
  form.append("file", new Blob([new Uint8Array(4_000_000)]), "large.bin");
  const authorization = await host.credentialsOf(attacker);
  const headers = { authorization };
  const sent = await fetch(`${host.url}/api/v1/user_uploads`, { method: "POST", headers, body: form });
  const { url } = (await sent.json()) as { url: string };
  const { hostname, port } = new URL(host.url);
  const statuses: string[] = [];
  const residentBytes = () =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${host.pid}/status`, "utf8"))?.[1]) * 1024;
  const before = residentBytes();

  await expectQuietDuring(async () => {
    for (let count = 0; count < 50; count++) {
      const socket = connect(Number(port), hostname);
      onTestFinished(() => void socket.destroy());
      socket.on("error", () => {});
      socket.once("data", (head) => {
        statuses.push(String(head).slice(9, 12));
        socket.pause();
      });
      // The system takes the first replies of a connection from the process.
      socket.write(`GET ${url} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: ${authorization}\r\n\r\n`.repeat(4));
    }
    await expect.poll(() => statuses.length).toBe(50);
  });

  expect(statuses).toContain("429");
  expect(residentBytes() - before).toBeLessThan(400 * 1024 * 1024);
});
