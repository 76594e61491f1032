import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { expect, test } from "vitest";
import { delayingProxy } from "./slow-engine.ts";

const listen = async (server: Server) => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

test("replies arrive whole, in order and not before the delay, also on a reused connection", async () => {
  const large = "x".repeat(500_000);
  const tooEarly: string[] = [];
  const engine = createServer((request, response) => response.end(`${request.url}${large}`));
  const proxy = delayingProxy({ host: "127.0.0.1", port: await listen(engine) }, 50);
  const url = `http://127.0.0.1:${await listen(proxy)}`;

  for (const path of ["/1", "/2"]) {
    const startedAt = performance.now();
    const text = await (await fetch(`${url}${path}`)).text();
    // A timer may fire up to a millisecond early.
    if (performance.now() - startedAt < 49) tooEarly.push(path);
    expect(text).toBe(`${path}${large}`);
  }

  expect(tooEarly).toEqual([]);
  engine.closeAllConnections();
  await Promise.all([engine, proxy].map((server) => new Promise((closed) => server.close(closed))));
});
