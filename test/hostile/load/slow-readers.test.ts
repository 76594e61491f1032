import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import type { ConnectionMember } from "../../../infra/fleet.ts";
import { startServices } from "../../../infra/local/aws/services.ts";
import { startSockets } from "../../../infra/local/sockets.ts";

/** Clients of one machine that ask for much and read nothing of it: what waits for them in memory has a limit. */

const mib = 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
/** What buffers hold, without garbage: when that is collected depends on all else that the process does. */
function heldBytes(): number {
  collectGarbage();
  return process.memoryUsage().arrayBuffers;
}

/** Resolves with the beginning of the answer, of which nothing more is read. */
async function stalled(url: URL, head: string): Promise<{ socket: Socket; answer: string }> {
  const socket = connect(Number(url.port), url.hostname);
  onTestFinished(() => void socket.destroy());
  socket.on("error", () => {});
  socket.write(head);
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.pause();
  return { socket, answer: answer.toString("latin1", 0, 100) };
}

test("what clients do not read of their WebSockets is bounded for all of them together", async () => {
  const ids: string[] = [];
  const accept = {
    name: "connect",
    spec: { route: "$connect", uses: {} },
    handler: async ({ requestContext }: { requestContext: { connectionId: string } }) => {
      ids.push(requestContext.connectionId);
      return { statusCode: 200 };
    },
  };
  const sockets = startSockets([accept as unknown as ConnectionMember], async () => {});
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    sockets.close();
    server.close();
  });
  server.on("upgrade", sockets.upgrade);
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const head = [
    "GET /connections HTTP/1.1",
    ...["host: 127.0.0.1", "upgrade: websocket", "connection: upgrade", "sec-websocket-version: 13"],
    "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==",
  ];
  const clientCount = 250;
  for (let client = 0; client < clientCount; client++) await stalled(url, `${head.join("\r\n")}\r\n\r\n`);
  const before = heldBytes();

  let most = 0;
  const open = new Set(ids);
  // What the system takes of each connection is not in the process.
  for (let round = 0; round < 60 && open.size > 0; round++) {
    for (const id of open) if (sockets.post(id, Buffer.alloc(120 * 1024)) === 410) open.delete(id);
    most = Math.max(most, heldBytes() - before);
    await new Promise(setImmediate);
  }

  expect(ids).toHaveLength(clientCount);
  expect(open.size).toBeLessThan(clientCount);
  // The limit, the last message of each client (29 MiB), and what is on its way.
  expect(most).toBeLessThan(64 * mib + 100 * mib);
});

test("what clients do not read of files is bounded, and further ones are asked to wait", async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), "skein-slow-"));
  const services = await startServices({ dataFolder });
  const sockets: Socket[] = [];
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await services.close();
    await rm(dataFolder, { recursive: true, force: true });
  });
  services.stores.files.putBucket("files");
  const file = { Bucket: "files", Key: "large.bin" };
  const call = async (command: string, more: object) =>
    (await services.answer({ client: "S3Client", command, input: file, ...more }))?.output;
  await call("PutObjectCommand", { input: { ...file, Body: new Uint8Array(20 * mib) } });
  const link = new URL((await call("GetObjectCommand", { linkSeconds: 60 }))?.link);
  const head = `GET ${link.pathname}${link.search} HTTP/1.1\r\nhost: ${link.host}\r\n\r\n`;
  const before = process.memoryUsage().arrayBuffers;

  const statusesOf = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { socket, answer } = await stalled(link, head);
        sockets.push(socket);
        return answer.slice(9, 12);
      }),
    );
  const statuses = [...(await statusesOf(200)), ...(await statusesOf(20))];

  expect(statuses).toEqual([...Array(200).fill("200"), ...Array(20).fill("503")]);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100 * mib);
  for (const socket of sockets.splice(0, 50)) socket.destroy();
  await expect.poll(async () => (await fetch(link)).status).toBe(200);
});
