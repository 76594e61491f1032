import { hash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";

/**
 * A program that answers SendMessage and SendMessageBatch after as many milliseconds as SQS takes: `sqs-process.ts <ms>`, and
 * posts to connections at once. It prints its URL. `GET /` returns the bodies of the jobs that were sent, and how many single
 * messages and posts.
 */

const delayMs = Number(process.argv[2]);
const jobs: string[] = [];
let messages = 0;
let posts = 0;

const server = createServer(async (incoming, outgoing) => {
  if (incoming.method === "GET") {
    outgoing.end(JSON.stringify({ jobs, messages, posts }));
    return;
  }
  if (incoming.url?.startsWith("/@connections/")) {
    posts++;
    incoming.resume().once("end", () => outgoing.end("{}"));
    return;
  }
  const input = (await json(incoming)) as { MessageBody?: string; Entries?: { Id: string; MessageBody: string }[] };
  jobs.push(...(input.Entries ?? []).map(({ MessageBody }) => MessageBody));
  if (!input.Entries) messages++;
  await pause(delayMs);
  const stored = (body = "") => ({ MessageId: "1", MD5OfMessageBody: hash("md5", body) });
  const Successful = input.Entries?.map(({ Id, MessageBody }) => ({ Id, ...stored(MessageBody) }));
  outgoing.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
  outgoing.end(JSON.stringify(Successful ? { Successful, Failed: [] } : stored(input.MessageBody)));
});
// Connections stay open, however long the client's process is busy.
server.keepAliveTimeout = 0;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
process.stdin.once("end", () => process.exit()).resume();
