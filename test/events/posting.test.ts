import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { handler as notifyWaiters } from "../../functions/events/notify-waiters.ts";
import { recordOf, startLogSource } from "../../infra/local/log-source.ts";
import { observeAwsCalls } from "../../shared/aws/observe.ts";
import { maxPostedDirectly } from "../../shared/events/notify-waiters.ts";
import { entriesBetween } from "../../shared/events/position.ts";
import { deleteEventQueue, putEventQueue } from "../../shared/store/delivery/event-queues.ts";
import {
  deleteWakeUpQueueRecord,
  listWakeUpQueueRecords,
  putWakeUpQueueRecord,
} from "../../shared/store/delivery/wake-up-queues.ts";
import { eventForUser } from "../../shared/store/log/entry.ts";
import { notifyListeners } from "../../shared/store/log/entry-cache.ts";
import { commit, readHead } from "../../shared/store/log/log.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import type { Key } from "../../shared/store/table/writes.ts";
import { findAccount } from "../../shared/store/users/accounts.ts";
import { nowSeconds } from "../../shared/time.ts";
import { connectQueue } from "../support/connection.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, localTest, type Person } from "../support/world.ts";

/** The function that posts events to connections, which this process runs in addition to the host. */

const inProcessTest = localTest("the test's own process runs the function");
/** The services that fail in this process. */
let failing: RegExp | undefined;
let tableCalls: { command: string; keys: Key[] }[] = [];
let postedTo: string[] = [];
const stopObserving = observeAwsCalls(async ({ client, command, input }, proceed) => {
  if (failing?.test(client)) throw new Error(`${client} is not available`);
  const requested = Object.values((input.RequestItems ?? {}) as Record<string, { Keys?: Key[] }>);
  if (client === "DynamoDBClient") tableCalls.push({ command, keys: requested.flatMap(({ Keys = [] }) => Keys) });
  if (client !== "ApiGatewayManagementApiClient") return proceed();
  postedTo.push(String(input.ConnectionId));
  return { output: {} };
});
afterAll(stopObserving);

const connect = async (person: Person) =>
  connectQueue(person, await person.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] }));

/** A run of the function for a message from one person to the others. */
async function runForMessage(sender: Person, receivers: readonly Person[]) {
  const before = (await readHead()).event;
  await sendDirect(sender, receivers, "Some are born great");
  const Records = (await entriesBetween(before, (await readHead()).event)).map(recordOf);
  return () => notifyWaiters({ Records } as never);
}

/** The kinds of the items that a run reads by key. */
const kindsRead = () => new Set(tableCalls.flatMap(({ keys }) => keys.map(({ sk }) => sk.split("#")[0])));

inProcessTest(
  "reads nothing for each connection that it has posted to before, and the rest at the same time as their list",
  async () => {
    const [maria, toby] = await Promise.all([aPerson("Maria"), aPerson("Toby")]);
    const [andrew, feste] = await Promise.all([aPerson("Andrew"), aPerson("Feste")]);
    const connections = await Promise.all([toby, toby, andrew].map(connect));
    const receivers = [toby, andrew];
    await (await runForMessage(maria, receivers))();
    expect([...kindsRead()]).toEqual(expect.arrayContaining(["ACCOUNT", "QUEUE"]));
    // Concerns none of them.
    await (await runForMessage(maria, [feste]))();
    const run = await runForMessage(maria, receivers);
    [tableCalls, postedTo] = [[], []];

    await run();

    expect(postedTo).toHaveLength(connections.length);
    expect(tableCalls.map(({ command }) => command)).toEqual(["QueryCommand", "BatchGetItemCommand"]);
    expect(kindsRead()).toEqual(new Set(["ORGANIZATION", "MESSAGE"]));
    for (const connection of connections) connection.close();
  },
);

inProcessTest("follows what changed in entries that it has missed, such as a new channel of the owner", async () => {
  const [maria, toby] = await Promise.all([aPerson("Maria"), aPerson("Toby")]);
  const channel = await aChannel("cellar", [maria]);
  const connection = await connect(toby);
  await (await runForMessage(maria, [toby]))();
  await toby.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: channel.name }] });
  // The host's own run says in the connection's record that the channel concerns it.
  await expect
    .poll(async () => (await listWakeUpQueueRecords()).find(({ userId }) => userId === toby.id)?.channelIds)
    .toContain(channel.id);
  const event = { type: "realm", op: "update_dict", property: "default", data: {} } as const;
  for (let batch = 0; batch < 11; batch++)
    await commit({ events: Array.from({ length: 50 }, () => eventForUser(maria.id, event)) });
  await (await runForMessage(maria, [await aPerson("Feste")]))();
  const before = (await readHead()).event;
  await sendToChannel(maria, channel, "wine", "A stoup of wine");
  const Records = (await entriesBetween(before, (await readHead()).event)).map(recordOf);
  postedTo = [];

  await notifyWaiters({ Records } as never);

  expect(postedTo).toHaveLength(1);
  connection.close();
});

inProcessTest(
  "fails when it can neither post nor have another function do it, so that Lambda calls it again",
  async () => {
    const [feste, malvolio] = await Promise.all([aPerson("Feste"), aPerson("Malvolio")]);
    const connection = await connect(malvolio);
    const run = await runForMessage(feste, [malvolio]);
    try {
      failing = /ApiGatewayManagement|SQS/;
      await expect(run()).rejects.toThrow("log-entries failed");

      failing = /ApiGatewayManagement/;
      await run();
    } finally {
      failing = undefined;
      connection.close();
    }
  },
);

inProcessTest(
  "fails when it cannot have jobs post to the others, and posts only to these when it is called again",
  async () => {
    const curio = await aPerson("Curio");
    const { keyHash = "" } = (await findAccount(curio.email)) ?? {};
    const { event: base } = await readHead();
    const queues = Array.from({ length: maxPostedDirectly + 1 }, (_, index) => ({
      ...{ id: randomUUID(), userId: curio.id, connectionId: `curio-${index}=` },
      ...{ connectedAs: { email: curio.email, keyHash }, hasWakeUpQueue: true as const, includeSubscribers: false },
      ...{ base, sequence: base, lifespan: 3600, usedAt: nowSeconds(), narrow: [], capabilities: [] },
      ...{ allPublicStreams: false, applyMarkdown: true, clientGravatar: true, slimPresence: true },
    }));
    const put = async (queue: (typeof queues)[number]) => {
      const { id: queueId, userId, connectionId, usedAt: dueAt } = queue;
      await putEventQueue(queue);
      await transact([putWakeUpQueueRecord({ queueId, userId, connectionId, dueAt, channelIds: new Set() })]);
    };
    await Promise.all(queues.map(put));
    await commit({
      events: [eventForUser(curio.id, { type: "realm", op: "update_dict", property: "default", data: {} })],
    });
    const Records = (await entriesBetween(base, (await readHead()).event)).map(recordOf);
    const run = () => notifyWaiters({ Records } as never);
    const posted = () => postedTo.filter((id) => id.startsWith("curio-"));
    try {
      failing = /SQS/;
      await expect(run()).rejects.toThrow("log-entries failed");
      expect(posted()).toHaveLength(maxPostedDirectly);
      failing = undefined;

      await run();

      expect(posted().toSorted()).toEqual(queues.map(({ connectionId }) => connectionId).toSorted());
    } finally {
      failing = undefined;
      await Promise.all(
        queues.map((queue) => Promise.all([deleteEventQueue(queue), deleteWakeUpQueueRecord(queue.id)])),
      );
    }
  },
);

test("on one machine, entries whose batch failed are passed again, and those that follow after them", async () => {
  const batches: string[][] = [];
  const source = startLogSource(async ({ Records }) => {
    batches.push(Records.map(({ eventID = "" }) => eventID));
    if (batches.length === 1) throw new Error("The first batch fails");
  });
  const entry = (sequence: number) => ({ sequence, event: { type: "typing" }, audience: { kind: "all" } }) as never;
  try {
    notifyListeners([entry(1)]);
    await expect.poll(() => batches.length).toBe(1);
    notifyListeners([entry(2)]);

    await expect.poll(() => batches, { timeout: 10_000 }).toEqual([["1"], ["1"], ["2"]]);
  } finally {
    await source.stop();
  }
});
