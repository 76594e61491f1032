import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ConnectionMember } from "../../infra/fleet.ts";
import { startEventSource } from "../../infra/local/event-source.ts";
import { startSockets } from "../../infra/local/sockets.ts";
import { queueUrlVariable } from "../../shared/services/jobs/queues.ts";
import { listWakeUpQueueRecords } from "../../shared/store/delivery/wake-up-queues.ts";
import { connectQueue } from "../support/connection.ts";
import { callAws } from "../support/hosts/aws-calls.ts";
import {
  expectEverythingOnce,
  killTestSize,
  receiveConnected,
  register,
  request,
} from "../support/hosts/connected-clients.ts";
import {
  type KillTestClient,
  killAtRandom,
  type RandomKiller,
  receiveWhileKilling,
  type Victim,
} from "../support/hosts/killed.ts";
import { callFunction, emulateStream, startFunctions } from "../support/hosts/killed-functions.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { aPerson, isLocal } from "../support/world.ts";

/** Like killed-processes.test.ts, with clients that are connected by a WebSocket: their connections are killed too. */

/** What becomes of a message that API Gateway answers with an error, as often as the SDK tries to post it. */
type Failure = "lost" | "delivered";

/**
 * API Gateway's part: connections whose routes call functions in processes, and posts to them. `nextFailure` says of each message
 * whether its posts fail.
 */
async function startConnections(
  killer: () => RandomKiller<Victim> | undefined,
  nextFailure: () => Failure | undefined,
) {
  const opened: string[] = [];
  const routes = { $connect: "open-connection", $default: "answer-connection" };
  const members = Object.entries(routes).map(([route, name]) => ({
    name,
    kind: "connection",
    spec: { route, uses: {} },
    handler: async (event: { requestContext: { connectionId: string } }) => {
      const answer = await callFunction((killer() as RandomKiller<Victim>).pick()?.child, name, event);
      if (route === "$connect" && answer) opened.push(event.requestContext.connectionId);
      return answer?.result ?? { statusCode: 502 };
    },
  })) as unknown as ConnectionMember[];
  const sockets = startSockets(members, async () => {});
  /** The failure of each message, and how often it still fails. */
  const failures = new Map<string, { failure: Failure | undefined; left: number }>();
  const sdkAttempts = 3;
  const post = (id: string, body: Buffer) => {
    const message = `${id} ${body}`;
    const state = failures.get(message) ?? { failure: nextFailure(), left: sdkAttempts };
    failures.set(message, state);
    const fails = state.failure !== undefined && state.left-- > 0;
    if (fails && state.failure === "lost") return 500;
    const status = sockets.post(id, body);
    return fails ? 500 : status;
  };
  const server = createServer(async (incoming, outgoing) => {
    const id = decodeURIComponent(incoming.url ?? "").split("/@connections/")[1] ?? "";
    const body = await buffer(incoming);
    const status = incoming.method === "DELETE" ? (sockets.end(id) ? 204 : 410) : post(id, body);
    outgoing.writeHead(status, status === 410 ? { "x-amzn-errortype": "GoneException" } : {}).end("{}");
  });
  server.on("upgrade", sockets.upgrade);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/connections`,
    endAny: () => {
      const [id] = opened.splice(Math.floor(Math.random() * opened.length), 1);
      if (id !== undefined) sockets.end(id);
    },
    close: () => {
      sockets.close();
      server.close();
    },
  };
}

let host: PrivateHost;
beforeAll(async () => {
  if (!isLocal()) return;
  host = await aPrivateHost({ SKEIN_RATE_LIMITS: "off" });
  // The helpers that create users and read the log find the host's table in this process's environment.
  Object.assign(process.env, host.environment);
});
afterAll(() => host?.stop());

/** The host's table and queues, with functions in `processCount` processes that can be killed, and what calls them. */
async function startFleet(processCount: number, nextFailure: () => Failure | undefined) {
  let killer: RandomKiller<Victim> | undefined;
  let over = false;
  const connections = await startConnections(() => killer, nextFailure);
  const callSqs = (command: string, input: object, disconnected?: AbortSignal) =>
    callAws(host.environment, "SQSClient", command, { ...input }, disconnected);
  // The host's own worker would post to the host's own connections.
  const { QueueUrl: queueUrl } = await callSqs("CreateQueueCommand", { QueueName: "killed-deliveries" });
  const environment = {
    ...host.environment,
    CONNECTIONS_URL: connections.url,
    AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: connections.url.replace("ws", "http").replace("/connections", ""),
    [queueUrlVariable("deliveries")]: queueUrl,
  };
  killer = await killAtRandom(() => startFunctions(environment), { processCount });
  const running = killer;
  const jobs = startEventSource({
    queue: {
      receiveMessage: (input, disconnected) => callSqs("ReceiveMessageCommand", input, disconnected),
      deleteMessages: (input) => callSqs("DeleteMessageBatchCommand", input),
    },
    ...{ queueUrl, queueArn: "arn:aws:sqs:us-east-1:000000000000:killed-deliveries" },
    ...{ batchSize: 10, concurrency: 2, visibilityTimeoutSeconds: 5 },
    handler: async (event) => {
      const answer = await callFunction(running.pick()?.child, "deliver-due", event);
      // Lambda shows the jobs of a function that died again after the visibility timeout.
      return (answer?.result ?? {
        batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })),
      }) as { batchItemFailures: { itemIdentifier: string }[] };
    },
  });
  const streaming = emulateStream(running, () => over);
  onTestFinished(async () => {
    over = true;
    running.end();
    connections.close();
    await streaming.catch(() => {});
    await jobs.stop();
  });
  return { killer: running, connections };
}

test.skipIf(!isLocal())(
  "every connected client receives every message once and in order, and no connection is left, whichever functions and connections are killed (local host only)",
  { timeout: 400_000 },
  async () => {
    const randomFailure = () => (Math.random() < 0.97 ? undefined : Math.random() < 0.5 ? "lost" : "delivered");
    const { killer, connections } = await startFleet(3, randomFailure);
    const timer = setInterval(() => killer.kills() < killTestSize.kills && connections.endAny(), 1_000);
    onTestFinished(() => clearInterval(timer));

    const result = await receiveWhileKilling(killer, (person, options) => register(host.url, person, options), {
      ...{ ...killTestSize, receive: receiveConnected },
    });

    expectEverythingOnce(result);
    // The clients are gone without a word: what is posted next finds nobody.
    const ids = new Set(result.listeners.map(({ queueId }) => queueId));
    const { person } = result.listeners[0] as KillTestClient;
    const to = [...new Set(result.listeners.map((listener) => listener.person.id))];
    await request(host.url, person, "POST", "/messages", { type: "direct", to, content: "Is anybody there?" });
    const left = async () => (await listWakeUpQueueRecords()).filter(({ queueId }) => ids.has(queueId));
    await expect.poll(async () => (await left()).filter(({ connectionId }) => connectionId).length).toBe(0);
    for (const listener of result.listeners)
      await request(host.url, listener.person, "DELETE", "/events", { queue_id: listener.queueId });
    expect(await left()).toEqual([]);
  },
);

test.skipIf(!isLocal())(
  "what could not be posted is posted again within seconds, and once for the client (local host only)",
  { timeout: 120_000 },
  async () => {
    let failure: Failure | undefined;
    const { killer } = await startFleet(1, () => {
      const next = failure;
      failure = undefined;
      return next;
    });
    const [imogen, pisanio] = await Promise.all([aPerson("Imogen"), aPerson("Pisanio")]);
    const queue_id = await register(host.url, imogen, { event_types: ["message"], fetch_event_types: [] });
    const client = {
      do: (method: string, path: string, params = {}) => request(killer.pick().url, imogen, method, path, params),
    };
    const connection = await connectQueue(client, { queue_id, last_event_id: -1 });
    const send = (content: string) =>
      request(killer.pick().url, pisanio, "POST", "/messages", { type: "direct", to: [imogen.id], content });

    failure = "lost";
    await send("Milford Haven");

    const texts = () => connection.events.map(({ message }) => message.content);
    await expect.poll(texts).toEqual(["Milford Haven"]);
    await send("Good wax, thy leave");
    await expect.poll(texts).toEqual(["Milford Haven", "Good wax, thy leave"]);
    expect(failure).toBeUndefined();
    connection.close();
  },
);
