import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connectQueue } from "../support/connection.ts";
import { type HostWithWakeUpQueues, owner, startHostWithWakeUpQueues, viola } from "../support/hosts/wake-up-queues.ts";
import { scheduleNow } from "../support/table/recurring.ts";
import { tableOf } from "../support/table/seed-table.ts";
import { isLocal, type Person } from "../support/world.ts";

/** A fleet whose clients wait at wake-up queues: API Gateway receives from SQS for them, and no function runs meanwhile. */

describe.skipIf(!isLocal())("waiting at a wake-up queue (local host only: MiniStack has no such integration)", () => {
  let host: HostWithWakeUpQueues;
  beforeAll(async () => {
    host = await startHostWithWakeUpQueues();
  });
  afterAll(() => host?.stop());

  const recordKey = (queueId: string) => ({ pk: "WAKEUPQUEUES", sk: queueId });
  const setDue = (queueId: string, at: number) =>
    tableOf(host).update({ key: recordKey(queueId), update: { set: { dueAt: at } }, returns: "new" });
  const dueAt = async (queueId: string) => {
    const { item } = await tableOf(host).get({ key: recordKey(queueId), consistent: true });
    return item && Number(item.dueAt);
  };

  test("a poll with nothing new is redirected to the wake-up queue, and back for the next event", async () => {
    const queueId = await host.register();

    const first = await host.fetchOnce(host.eventsUrl(queueId));
    const waiting = host.fetchOnce(first.nextUrl);
    const { id } = await host.sendDirect([await host.ownerId()], "the text of it");
    const woken = await waiting;
    const startedAt = Date.now();
    const second = await host.fetchOnce(woken.nextUrl);
    const third = await host.fetchOnce(second.nextUrl);
    const found = await host.fetchOnce(third.nextUrl);

    expect(first).toMatchObject({ status: 307, location: `events/${queueId}/-1/wait-1` });
    expect(woken).toMatchObject({ status: 307, location: "wait-2" });
    expect(JSON.stringify(woken.body)).not.toContain("the text of it");
    expect(second).toMatchObject({ status: 307, location: "wait-3" });
    expect(third).toMatchObject({ status: 307, location: "look" });
    // A wake-up received at the first route is still visible to the routes after it.
    expect(Date.now() - startedAt).toBeLessThan(15_000);
    expect(found.status).toBe(200);
    expect(found.body.events).toMatchObject([{ type: "message", message: { id, content: "the text of it" } }]);
  });

  test("a poll is answered at once if there are events, or with dont_block", async () => {
    const queueId = await host.register();
    await host.sendDirect([await host.ownerId()], "early");

    const found = await host.fetchOnce(host.eventsUrl(queueId));
    const last = found.body.events.at(-1).id;
    const empty = await host.fetchOnce(`${host.eventsUrl(queueId, last)}&dont_block=true`);

    expect(found.body.events).toMatchObject([{ message: { content: "early" } }]);
    expect(empty).toMatchObject({ status: 200, body: { events: [] } });
  });

  test("a poll without last_event_id is redirected with the queue's own last event ID", async () => {
    const queueId = await host.register();

    const { status, nextUrl } = await host.fetchOnce(`${host.url}/api/v1/events?queue_id=${queueId}`);
    await host.sendDirect([await host.ownerId()], "next");
    const { body } = await host.fetchOnce(nextUrl.replace(/wait-1$/, "look"));

    expect(status).toBe(307);
    expect(body.events).toMatchObject([{ message: { content: "next" } }]);
  });

  test("without events the wait ends after four redirects with a heartbeat", async () => {
    const queueId = await host.register();
    await host.wakeUp(queueId);
    const locations: (string | null)[] = [];
    let reply = await host.fetchOnce(host.eventsUrl(queueId));
    for (; reply.status === 307; reply = await host.fetchOnce(reply.nextUrl)) locations.push(reply.location);

    expect(locations).toEqual([`events/${queueId}/-1/wait-1`, "wait-2", "wait-3", "look"]);
    expect(reply).toMatchObject({ status: 200, body: { events: [{ type: "heartbeat" }] } });
  });

  test("a wake-up reaches the client that waits next, until the last route has received it", async () => {
    const queueId = await host.register();
    const waitAt = (number: number) => host.fetchOnce(`${host.url}/api/v1/events/${queueId}/-1/wait-${number}`);
    await host.wakeUp(queueId);

    const receivedEvents = [await waitAt(1), await waitAt(1), await waitAt(2), await waitAt(3)];
    const pending = await host.pendingWakeUps(queueId);
    const waiting = waitAt(1);
    const earlyReply = await Promise.race([waiting, pause(1500)]);
    await host.wakeUp(queueId);

    for (const { body } of receivedEvents) expect(body.Messages).toHaveLength(1);
    // One wake-up ends one chain of redirects and does not shorten the next one.
    expect(pending).toBe(0);
    expect(earlyReply).toBeUndefined();
    expect((await waiting).body.Messages).toHaveLength(1);
  });

  test("one wake-up redirects both of two polls that wait at one queue", async () => {
    const queueId = await host.register();
    const { nextUrl } = await host.fetchOnce(host.eventsUrl(queueId));
    const polls = [host.fetchOnce(nextUrl), host.fetchOnce(nextUrl)];
    await pause(1000);

    await host.sendDirect([await host.ownerId()], "for both");
    const steps = await Promise.all(polls);
    expect(steps.map(({ location }) => location)).toEqual(["wait-2", "wait-2"]);
    // Sequentially, because a later concurrent poll ends the earlier one.
    for (const _ of steps) {
      const { body } = await host.fetchOnce(nextUrl.replace(/wait-1$/, "look"));
      expect(body.events).toMatchObject([{ message: { content: "for both" } }]);
    }
  });

  test("the function holds the poll when the wake-up queue does not exist", async () => {
    const queueId = await host.register();
    const missing = await Promise.all(
      [1, 2, 3].map((number) => host.fetchOnce(`${host.url}/api/v1/events/no-such-queue/-1/wait-${number}`)),
    );

    const held = host.fetchOnce(`${host.url}/api/v1/events/${queueId}/-1/look?held=true`);
    await host.sendDirect([await host.ownerId()], "received by the waiting poll");

    for (const reply of missing) expect(reply).toMatchObject({ status: 307, location: "look?held=true" });
    expect((await held).body.events).toMatchObject([{ message: { content: "received by the waiting poll" } }]);
  });

  test("a poll of another user's queue, or without credentials, is refused", async () => {
    const queueId = await host.register({}, viola);

    const otherUsersReply = await host.fetchOnce(`${host.url}/api/v1/events/${queueId}/-1/look`);
    const anonymous = await fetch(`${host.url}/api/v1/events/${queueId}/-1/look`);

    expect(otherUsersReply).toMatchObject({ status: 400, body: { code: "BAD_EVENT_QUEUE_ID" } });
    expect(anonymous.status).toBe(401);
  });

  test("a wake-up queue is deleted after its event queue was deleted or expired", async () => {
    const [deletedQueueId, expiredQueueId, liveQueueId] = await Promise.all([
      host.register(),
      host.register({ lifespan_secs: 1 }),
      host.register(),
    ]);
    const queueExists = (queueId: string) =>
      host.callSqs("GetQueueAttributes", { QueueUrl: host.wakeUpQueueUrl(queueId) }).then(
        () => true,
        (error) => {
          if (error.name !== "QueueDoesNotExist") throw error;
          return false;
        },
      );
    const queuesExist = () => Promise.all([deletedQueueId, expiredQueueId, liveQueueId].map(queueExists));
    expect(await queuesExist()).toEqual([true, true, true]);

    await host.do(owner, "DELETE", "/events", { queue_id: deletedQueueId });
    // Makes the sweep check both queues; one of them is still in use.
    for (const queueId of [expiredQueueId, liveQueueId]) await setDue(queueId, 1);
    await expect
      .poll(() => scheduleNow("wake-up-queue-sweeps", host.environment).then(queuesExist), {
        timeout: 60_000,
        interval: 1000,
      })
      .toEqual([false, false, true]);

    // The sweep removes what names a queue after the queue.
    await expect.poll(() => Promise.all([deletedQueueId, expiredQueueId].map(dueAt))).toEqual([undefined, undefined]);
    expect(await dueAt(liveQueueId)).toBeGreaterThan(Date.now() / 1000);
  });

  test("the wake-up queue of a client that is away is deleted, and its next poll needs none", async () => {
    const queueId = await host.register({ idle_queue_timeout: "mobile" });
    await tableOf(host).update({
      key: { pk: `USER#${await host.ownerId()}`, sk: `QUEUE#${queueId}` },
      update: { set: { usedAt: Math.floor(Date.now() / 1000) - 3600 } },
      returns: "new",
    });
    await setDue(queueId, 1);
    await expect
      .poll(() => scheduleNow("wake-up-queue-sweeps", host.environment).then(() => dueAt(queueId)), {
        timeout: 60_000,
        interval: 1000,
      })
      .toBeUndefined();

    await host.sendDirect([await host.ownerId()], "while away");
    const { body } = await host.fetchOnce(host.eventsUrl(queueId, -1));

    expect(body.events).toMatchObject([{ message: { content: "while away" } }]);
  });

  test("a connected client is not woken, and a client whose connection is gone is woken at its queue", async () => {
    const queueId = await host.register();
    const client: Pick<Person, "do"> = { do: (method, path, params) => host.do(owner, method, path, params) };
    const connection = await connectQueue(client, { queue_id: queueId, last_event_id: -1 });
    const texts = () => connection.events.map(({ message }) => message.content);

    await host.sendDirect([await host.ownerId()], "by the connection");
    await expect.poll(texts).toEqual(["by the connection"]);
    expect(await host.pendingWakeUps(queueId)).toBe(0);
    connection.close();
    await expect.poll(() => connection.closeCode).toBeDefined();
    await host.sendDirect([await host.ownerId()], "after it was closed");

    await expect.poll(() => host.pendingWakeUps(queueId)).toBe(1);
    const { body } = await host.fetchOnce(host.eventsUrl(queueId, connection.seen));
    expect(body.events).toMatchObject([{ message: { content: "after it was closed" } }]);
  });

  test("a received wake-up expires before it could become visible again", async () => {
    const queueId = await host.register();
    const { Attributes } = await host.callSqs("GetQueueAttributes", { QueueUrl: host.wakeUpQueueUrl(queueId) });

    expect(Number(Attributes.VisibilityTimeout)).toBeGreaterThan(Number(Attributes.MessageRetentionPeriod));
  });

  test("a wait costs at most 3.5 read units and writes nothing", async () => {
    const queueId = await host.register();
    const { headers: costs } = await host.fetchOnce(host.eventsUrl(queueId));

    expect(Number(costs.get("x-skein-read-units"))).toBeLessThanOrEqual(3.5);
    expect(Number(costs.get("x-skein-write-units"))).toBe(0);
  });

  test("a waiting client's activity is recorded about every two minutes, for one write unit, unless its channels changed", async () => {
    const queueId = await host.register({ event_types: ["subscription"] });
    const key = { pk: `USER#${await host.ownerId()}`, sk: `QUEUE#${queueId}` };
    const usedAt = async () => Number((await tableOf(host).get({ key, consistent: true })).item?.usedAt);
    const backdateUse = () =>
      tableOf(host).update({
        key,
        update: { set: { usedAt: Math.floor(Date.now() / 1000) - 121 } },
        returns: "new",
      });
    const writeUnits = async (last?: number) =>
      Number((await host.fetchOnce(host.eventsUrl(queueId, last))).headers.get("x-skein-write-units"));

    await backdateUse();

    expect(await writeUnits()).toBe(1);
    expect(Math.abs((await usedAt()) - Date.now() / 1000)).toBeLessThan(60);
    expect(await writeUnits()).toBe(0);
    await host.subscribe("Pauls Walk", owner);
    const { body } = await host.fetchOnce(host.eventsUrl(queueId));
    // The record of the events that wake the client is updated too, because it names the client's channels.
    expect(await writeUnits(body.events.at(-1).id)).toBe(4);
  });
});
