import { hash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { cors, isPreflight, preflightHeaders } from "../../cors.ts";
import { disconnectSignal } from "../disconnect-signal.ts";
import type { SourceQueue } from "../event-source.ts";
import { Database } from "./database.ts";
import { type ParsedRequest, parseRequest, type ServiceName } from "./dispatch.ts";
import { mailEmulator, type SavedMail } from "./mail.ts";
import {
  AwsError,
  type AwsReply,
  type AwsRequest,
  type AwsService,
  jsonError,
  readAll,
  refuseBrowsers,
} from "./protocol.ts";
import { s3Emulator } from "./s3/s3.ts";
import { ObjectStore } from "./s3/store.ts";
import { schedulerEmulator } from "./scheduler/scheduler.ts";
import { ScheduleStore } from "./scheduler/store.ts";
import { type Invoke, ScheduleTimer } from "./scheduler/timer.ts";
import { SecretStore, secretsEmulator } from "./secrets.ts";
import { type Credentials, checkSignature } from "./signature.ts";
import { messageOperations } from "./sqs/messages.ts";
import { sqsEmulator } from "./sqs/sqs.ts";
import { QueueStore } from "./sqs/store.ts";

/** It is also the queues of the event sources in its process; `disconnected` must abort before `close`. */
export interface AwsEmulator extends SourceQueue {
  url: string;
  /** What the services keep, for what this process creates itself. */
  stores: EmulatorStores;
  close(): Promise<void>;
}

interface EmulatorStores {
  database: Database;
  queues: QueueStore;
  schedules: ScheduleStore;
  objects: ObjectStore;
  secrets: SecretStore;
}

/** Serves SQS, EventBridge Scheduler, S3, Secrets Manager and SES to SDK clients on this machine, with data in `dataFolder`. */
export async function startAwsEmulator(options: {
  dataFolder: string;
  port?: number;
  accessKeyId: string;
  secretAccessKey: string;
  /** Makes messages that were received before this start visible at once: their receivers have ended. */
  receiversAreGone?: boolean;
  /** Invokes the functions that are targets of schedules. */
  invoke?: Invoke;
  onMail?: ((mail: SavedMail) => void) | undefined;
}): Promise<AwsEmulator> {
  const database = new Database(join(options.dataFolder, "aws.sqlite"));
  const queues = new QueueStore(database);
  if (options.receiversAreGone) queues.releaseReceived();
  const schedules = new ScheduleStore(database);
  const objects = new ObjectStore(database, join(options.dataFolder, "files"));
  const secrets = new SecretStore(database);
  const timer = new ScheduleTimer(schedules, queues, options.invoke);
  const { ReceiveMessage, DeleteMessageBatch } = messageOperations(queues);
  const services: Partial<Record<ServiceName, AwsService>> = {
    sqs: sqsEmulator(queues),
    scheduler: schedulerEmulator(schedules, timer),
    s3: s3Emulator(objects),
    secretsmanager: secretsEmulator(secrets),
    ses: mailEmulator(join(options.dataFolder, "mail"), options.onMail),
  };

  const stopping = new AbortController();
  const activeRequests = new Set<Promise<void>>();
  const server = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    const work = serve(request, response, services, options, stopping.signal).finally(() =>
      activeRequests.delete(work),
    );
    activeRequests.add(work);
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  timer.tick();

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stores: { database, queues, schedules, objects, secrets },
    receiveMessage: (input, disconnected) => ReceiveMessage(input, { disconnected }),
    deleteMessages: DeleteMessageBatch,
    close: async () => {
      timer.stop();
      stopping.abort();
      const closed = once(server, "close");
      server.close();
      await Promise.all(activeRequests);
      server.closeAllConnections();
      await closed;
      database.close();
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  services: Partial<Record<ServiceName, AwsService>>,
  credentials: Credentials,
  stopping: AbortSignal,
): Promise<void> {
  let service: AwsService | undefined;
  let reply: AwsReply;
  try {
    const parsed = parseRequest(request);
    service = parsed.service && services[parsed.service];
    if (!service)
      throw new AwsError("UnknownService", "The request is signed for no service that is emulated here", {
        status: 403,
      });
    // As the bucket's CORS rules allow on AWS: pages download and upload files through presigned links.
    if (parsed.service === "s3") {
      if (isPreflight(request.method, request.headers)) return void response.writeHead(200, preflightHeaders).end();
      if (request.headers.origin !== undefined) response.setHeader("access-control-allow-origin", cors.origin);
    }
    const disconnected = () => AbortSignal.any([disconnectSignal(response), stopping]);
    reply = await service.answer(await verifiedRequest(request, parsed, credentials, disconnected));
  } catch (cause) {
    reply = errorReply(cause, service, request.url ?? "/");
  }
  // If the reply fails (the client disconnected, or a file could not be read to its end), break the connection.
  await send(request, response, reply).catch(() => response.destroy());
}

/** Verifies the signature. S3 gets the body as a stream and checks its digest while reading; the others get it in memory. */
async function verifiedRequest(
  request: IncomingMessage,
  { path, query, signed, service }: ParsedRequest,
  credentials: Credentials,
  disconnected: () => AbortSignal,
) {
  const { method = "GET", headers } = request;
  // Web pages may only use presigned links of S3.
  if (service !== "s3") refuseBrowsers(headers);
  if (!signed) throw new AwsError("MissingAuthenticationToken", "The request is not signed", { status: 403 });
  const bufferedBody = service === "s3" ? undefined : await readAll(request);
  const payloadHash = bufferedBody
    ? hash("sha256", bufferedBody)
    : String(headers["x-amz-content-sha256"] ?? query.get("X-Amz-Content-Sha256") ?? "UNSIGNED-PAYLOAD");
  checkSignature(signed, { method, path, query, headers }, credentials, payloadHash);
  let signal: AbortSignal | undefined;
  return {
    ...{
      method,
      path,
      query,
      headers,
      body: request,
      bufferedBody,
      region: signed.region,
      origin: `http://${headers.host}`,
    },
    get disconnected() {
      signal ??= disconnected();
      return signal;
    },
  } satisfies AwsRequest;
}

function errorReply(cause: unknown, service: AwsService | undefined, path: string): AwsReply {
  let error = cause;
  if (!(error instanceof AwsError)) {
    if (!(error instanceof URIError)) console.error(error);
    error =
      error instanceof URIError
        ? new AwsError("InvalidURI", "Couldn't parse the specified URI.")
        : new AwsError("InternalFailure", "The request processing has failed because of an unknown error.", {
            status: 500,
          });
  }
  return service ? service.formatError(error as AwsError, { path }) : jsonError(error as AwsError);
}

/** Files that are sent at a time by links, and how long a client may take nothing: each has an open file and a part in memory. */
const maxDownloads = 200;
const downloadPauseMs = 60_000;
let downloadCount = 0;

/** Sends a file as fast as whoever has the link takes it. Further ones are refused, as S3 asks clients to slow down. */
async function sendByLink(response: ServerResponse, send: () => Promise<void>, file: Readable): Promise<void> {
  if (downloadCount >= maxDownloads) {
    file.destroy();
    return void response.writeHead(503, { "retry-after": "1" }).end();
  }
  downloadCount++;
  response.setTimeout(downloadPauseMs, () => response.destroy());
  await send().finally(() => downloadCount--);
}

async function send(
  request: IncomingMessage,
  response: ServerResponse,
  { status, headers, body }: AwsReply,
): Promise<void> {
  // Drains the rest of a refused body, so that the connection can be reused.
  request.resume();
  const common = { "x-amzn-requestid": crypto.randomUUID(), ...headers };
  if (body instanceof Readable) {
    const sendFile = () => pipeline(body, response.writeHead(status, common));
    // The host itself signs by the header, and reads everything at once.
    await (request.headers.authorization === undefined ? sendByLink(response, sendFile, body) : sendFile());
  } else {
    response.writeHead(status, { ...(body && { "content-length": Buffer.byteLength(body) }), ...common });
    response.end(body);
  }
}
