import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { handler as notifyWaiters } from "../../functions/events/notify-waiters.ts";
import { recordOf, startLogSource } from "../../infra/local/log-source.ts";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import { observeTableCalls } from "../../shared/base/table-port/observe.ts";
import { nowSeconds } from "../../shared/base/time.ts";
import { maxPostedDirectly } from "../../shared/features/events/notify-waiters.ts";
import { eventsAfter } from "../../shared/features/events/poll.ts";
import { entriesBetween } from "../../shared/features/events/position.ts";
import { maxMessageBytes } from "../../shared/services/connections/post.ts";
import { toCaller } from "../../shared/services/identity/access.ts";
import {
  deleteEventQueue,
  type EventQueue,
  findEventQueue,
  putEventQueue,
} from "../../shared/store/delivery/event-queues.ts";
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
import { type Account, findAccount } from "../../shared/store/users/accounts.ts";
import { connectQueue } from "../support/connection.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { lagReads } from "../support/table/lagging-table.ts";
import { forgetCaches } from "../support/test-process.ts";
import { aChannel, aPerson, localTest, type Person } from "../support/world.ts";

/** The function that posts events to connections, which this process runs in addition to the host. */

const inProcessTest = localTest("the test's own process runs the function");
/** The services that fail in this process. */
let failing: RegExp | undefined;
let tableCalls: { name: string; keys: readonly Key[]; isParallel: boolean }[] = [];
let runningCalls = 0;
let postedTo: string[] = [];
const stopObserving = observeAwsCalls(async ({ client, input }, proceed) => {
  if (failing?.test(client)) throw new Error(`${client} is not available`);
  if (client === "ApiGatewayManagementApiClient") {
    postedTo.push(String(input.ConnectionId));
    return { output: {} };
  }
  return proceed();
});
const stopObservingTable = observeTableCalls(async ({ name, request }, proceed) => {
  const keys = name === "batchGet" ? request.keys : [];
  tableCalls.push({ name, keys, isParallel: runningCalls > 0 });
  runningCalls++;
  return proceed().finally(() => runningCalls--);
});
afterAll(() => {
  stopObserving();
  stopObservingTable();
});

const connect = async (person: Person) =>
  connectQueue(person, await person.do("POST", "/register", { event_types: ["message"], fetch_event_types: [] }));

/** An event that has no effect. */
const ineffective = { type: "realm", op: "update_dict", property: "default", data: {} } as const;

/** A run of the function for the entries after a sequence number, by default for a message from one person to the others. */
async function runForMessage(sender: Person, receivers: readonly Person[], after?: number) {
  const before = after ?? (await readHead()).event;
  await sendDirect(sender, receivers, "Some are born great");
  const upTo = (await readHead()).event;
  const Records = (await entriesBetween(before, upTo)).map(recordOf);
  return Object.assign(() => notifyWaiters({ Records } as never), { upTo });
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
    // One run after the other has all entries: a gap would be read.
    const first = await runForMessage(maria, receivers);
    const forOthers = await runForMessage(maria, [feste], first.upTo);
    const second = await runForMessage(maria, receivers, forOthers.upTo);
    const third = await runForMessage(maria, receivers, second.upTo);
    tableCalls = [];
    await first();
    expect([...kindsRead()]).toEqual(expect.arrayContaining(["ACCOUNT", "QUEUE"]));
    await forOthers();
    await second();
    [tableCalls, postedTo] = [[], []];

    await third();

    expect(postedTo).toHaveLength(connections.length);
    expect(tableCalls).toEqual([
      { name: "query", keys: [], isParallel: false },
      { name: "batchGet", keys: expect.anything(), isParallel: true },
    ]);
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
  for (let batch = 0; batch < 11; batch++)
    await commit({ events: Array.from({ length: 50 }, () => eventForUser(maria.id, ineffective)) });
  await (await runForMessage(maria, [await aPerson("Feste")]))();
  const before = (await readHead()).event;
  await sendToChannel(maria, channel, "wine", "A stoup of wine");
  const Records = (await entriesBetween(before, (await readHead()).event)).map(recordOf);
  postedTo = [];

  await notifyWaiters({ Records } as never);

  expect(postedTo).toHaveLength(1);
  connection.close();
});

inProcessTest("reads everything up to the last entry of a run, even if reads of the log lag", async () => {
  const toby = await aPerson("Toby");
  const { queue_id } = await toby.do("POST", "/register", { event_types: ["realm"], fetch_event_types: [] });
  const [account, queue] = await Promise.all([findAccount(toby.email), findEventQueue(toby.id, queue_id)]);
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const stopLagging = lagReads({ baseMs: () => 1000, indexMs: () => 0, longestMs: 1000, now });
  try {
    const write = () => commit({ events: [eventForUser(toby.id, ineffective)] });
    await write();
    // The first entry is old enough to be read, the others are not.
    aheadMs = 5000;
    await write();
    await write();
    const upTo = (await readHead()).event;
    forgetCaches();

    const start = { sequence: (queue as EventQueue).sequence, channelIds: new Set<number>() };
    const options = { upTo, maxBytes: maxMessageBytes, cache: {} };
    const { position } = await eventsAfter(toCaller(account as Account), queue as EventQueue, start, options);

    expect(position.sequence).toBe(upTo);
  } finally {
    stopLagging();
  }
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
      events: [eventForUser(curio.id, ineffective)],
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
