import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { cors, isPreflight, preflightHeaders } from "../../../cors.ts";
import type { Row } from "../database.ts";
import { AwsError } from "../error.ts";
import { rangeOf } from "./range.ts";
import type { FileStore } from "./store.ts";

interface FileServer {
  url: string;
  /** A link by which anyone can make a GetObject or PutObject call with this input for some seconds. */
  link(command: string, input: Row, seconds: number): string;
  close(): Promise<void>;
}

/** Files that are sent at a time, and how long a client may take nothing: each has an open file and a part in memory. */
const maxDownloads = 200;
const downloadPauseMs = 60_000;

/** The headers that links need, such as If-None-Match, are in the bucket's rules on AWS too. */
const anyHeaders = { ...preflightHeaders, "access-control-allow-headers": "*" };

const signatureParameter = "&signature=";

/** Serves links to files on an origin of their own, so that what people upload has no access to the page's data. */
export async function startFileServer(store: FileStore): Promise<FileServer> {
  // New at each start, which ends all links.
  const secret = randomBytes(32);
  const signatureOf = (method: string, target: string) =>
    createHmac("sha256", secret).update(`${method} ${target}`).digest("base64url");
  let downloads = 0;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", headers, url: target = "" } = request;
    if (isPreflight(method, headers)) return void response.writeHead(200, anyHeaders).end();
    // As the bucket's CORS rules allow on AWS: pages download and upload files through links.
    if (headers.origin !== undefined) response.setHeader("access-control-allow-origin", cors.origin);
    const [signed = "", signature = ""] = target.split(signatureParameter);
    if (!isEqual(signature, signatureOf(method, signed))) throw refused("The link is not valid");
    const [path = "", search] = signed.split("?");
    const link = new URLSearchParams(search);
    if (Number(link.get("expires")) <= Date.now()) throw refused("The link has expired");
    const [, bucket = "", ...rest] = path.split("/").map(decodeURIComponent);
    const file = { bucket, key: rest.join("/") };
    await (method === "PUT" ? receive(request, response, file, link) : send(request, response, file, link));
  }

  /** Stores a file of exactly the announced size under a key that does not exist. */
  async function receive(
    request: IncomingMessage,
    response: ServerResponse,
    { bucket, key }: Name,
    link: URLSearchParams,
  ) {
    const { "content-length": length, "if-none-match": condition } = request.headers;
    if (length !== link.get("size") || condition !== "*") throw refused("The link is for another request");
    const written = await store.write(request);
    if (store.find(bucket, key)) {
      store.discard(written.file);
      throw new AwsError("PreconditionFailed", "The file exists", 412);
    }
    store.put(bucket, { ...written, key, headers: {} });
    response.writeHead(200).end();
  }

  async function send(
    request: IncomingMessage,
    response: ServerResponse,
    { bucket, key }: Name,
    link: URLSearchParams,
  ) {
    const object = store.find(bucket, key);
    if (!object) throw new AwsError("NoSuchKey", "The file does not exist", 404);
    const etag = `"${object.md5}"`;
    if (request.headers["if-none-match"] === etag) return void response.writeHead(304, { etag }).end();
    const range = rangeOf(request.headers.range, object.size);
    const { start, end } = range ?? { start: 0, end: object.size - 1 };
    if (downloads >= maxDownloads) return void response.writeHead(503, { "retry-after": "1" }).end();
    response.setTimeout(downloadPauseMs, () => response.destroy());
    response.writeHead(range ? 206 : 200, {
      ...object.headers,
      ...Object.fromEntries([...link].filter(([name]) => servedHeaders.includes(name))),
      ...{ etag, "last-modified": new Date(object.modifiedAt).toUTCString(), "accept-ranges": "bytes" },
      "content-length": end - start + 1,
      ...(range && { "content-range": `bytes ${start}-${end}/${object.size}` }),
    });
    const content = store.read(object, range);
    downloads++;
    await pipeline(content, response).finally(() => downloads--);
  }

  const running = new Set<Promise<void>>();
  const server = createServer({ requestTimeout: 0 }, (request, response) => {
    const work = answer(request, response)
      .catch((error) => refuse(request, response, error))
      .finally(() => running.delete(work));
    running.add(work);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    link: (command, input, seconds) => {
      const parameters = new URLSearchParams({ expires: String(Date.now() + seconds * 1000) });
      const given = [
        input.ContentLength,
        input.ResponseContentType,
        input.ResponseContentDisposition,
        input.ResponseCacheControl,
      ];
      for (const [index, name] of ["size", ...servedHeaders].entries())
        if (given[index] !== undefined) parameters.set(name, String(given[index]));
      const path = [input.Bucket, ...String(input.Key).split("/")].map(encodeURIComponent).join("/");
      const target = `/${path}?${parameters}`;
      const signature = signatureOf(command === "PutObjectCommand" ? "PUT" : "GET", target);
      return `${url}${target}${signatureParameter}${signature}`;
    },
    close: async () => {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all(running);
      await closed;
    },
  };
}

interface Name {
  bucket: string;
  key: string;
}

/** The headers of a reply that a link determines. */
const servedHeaders = ["content-type", "content-disposition", "cache-control"];

const refused = (message: string) => new AwsError("AccessDenied", message, 403);

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  // If a reply has begun (the client disconnected, or a file could not be read to its end), break the connection.
  if (response.headersSent) return void response.destroy();
  // Drains the rest of a refused body, so that the connection can be reused.
  request.resume();
  if (error instanceof AwsError) return void response.writeHead(error.$metadata.httpStatusCode).end(error.message);
  console.error(error);
  response.writeHead(500).end();
}
