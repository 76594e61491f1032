import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describedEvents } from "../../infra/reference/events.ts";
import { roles } from "../../shared/base/schema/roles.ts";
import { putWakeUpQueueRecord } from "../../shared/store/delivery/wake-up-queues.ts";
import { type HostWithWakeUpQueues, owner, startHostWithWakeUpQueues, viola } from "../support/hosts/wake-up-queues.ts";
import { seedTable, tableOf } from "../support/table/seed-table.ts";
import { isLocal } from "../support/world.ts";

/** Tests which clients an event wakes. */

test("the hashes by which a wake-up queue's record names event types tell all of them apart", () => {
  const types = [...new Set(describedEvents.map(({ type }) => type))];
  const stored = types.map((type) => {
    const write = putWakeUpQueueRecord({ queueId: "q", userId: 1, dueAt: 1, eventTypes: [type] });
    return Buffer.from(write.kind === "put" ? (write.item.types as Uint8Array) : []).toString("hex");
  });

  expect(types.length).toBeGreaterThan(30);
  expect(new Set(stored).size).toBe(types.length);
});

describe.skipIf(!isLocal())("notifying wake-up queues (local host only: MiniStack has no such integration)", () => {
  let host: HostWithWakeUpQueues;
  beforeAll(async () => {
    host = await startHostWithWakeUpQueues();
  });
  afterAll(() => host?.stop());

  test("an event wakes only the queues of its audience that have its type", async () => {
    await host.subscribe("wakers", viola);
    const [subscribersQueue, outsidersQueue, presenceQueue] = await Promise.all([
      host.register({}, viola),
      host.register({}, owner),
      host.register({ event_types: ["presence"] }, viola),
    ]);

    await host.do(viola, "POST", "/messages", { type: "channel", to: "wakers", topic: "t", content: "hear" });
    await expect.poll(() => host.pendingWakeUps(subscribersQueue)).toBe(1);

    expect(await host.pendingWakeUps(outsidersQueue)).toBe(0);
    expect(await host.pendingWakeUps(presenceQueue)).toBe(0);
  });

  test("a client of messages only is woken when its user joins a channel", async () => {
    const [joinersQueue, othersQueue] = await Promise.all([
      host.register({ event_types: ["message"] }, viola),
      host.register({ event_types: ["message"] }, owner),
    ]);

    await host.subscribe("joined later", viola);

    await expect.poll(() => host.pendingWakeUps(joinersQueue)).toBe(1);
    expect(await host.pendingWakeUps(othersQueue)).toBe(0);
  });

  test("typing in a channel wakes the subscribers whose queues have typing events, and nobody else", async () => {
    await host.subscribe("typists", viola);
    const { stream_id } = await host.as(viola, "GET", "/get_stream_id", { stream: "typists" });
    const typingParams = { event_types: ["typing"], client_capabilities: { notification_settings_null: true } };
    const [subscribersQueue, outsidersQueue, messageQueue, markerQueue] = await Promise.all([
      host.register(typingParams, viola),
      host.register(typingParams, owner),
      host.register({}, viola),
      host.register({ event_types: ["typing", "message"] }, owner),
    ]);

    await host.do(viola, "POST", "/typing", { type: "channel", op: "start", stream_id, topic: "t" });
    await expect.poll(() => host.pendingWakeUps(subscribersQueue)).toBe(1);
    // When this message has woken its client, everything written before it has been processed.
    await host.do(viola, "POST", "/messages", { type: "direct", to: [await host.ownerId()], content: "done" });
    await expect.poll(() => host.pendingWakeUps(markerQueue)).toBe(1);

    expect(await host.pendingWakeUps(outsidersQueue)).toBe(0);
    expect(await host.pendingWakeUps(messageQueue)).toBe(1);
  });

  test("a presence change wakes nobody, and is delivered with the next poll", async () => {
    const presenceQueue = await host.register({ event_types: ["presence"] }, owner);
    const messageQueue = await host.register({ event_types: ["presence", "message"] }, owner);

    await host.do(viola, "POST", "/users/me/presence", { status: "active", ping_only: true });
    // When this message has woken its client, everything written before it has been processed.
    await host.do(viola, "POST", "/messages", { type: "direct", to: [await host.ownerId()], content: "here I am" });
    await expect.poll(() => host.pendingWakeUps(messageQueue)).toBe(1);

    expect(await host.pendingWakeUps(presenceQueue)).toBe(0);
    const { body } = await host.fetchOnce(`${host.url}/api/v1/events/${presenceQueue}/-1/look`);
    expect(body.events).toMatchObject([{ type: "presence", email: viola }]);
  });

  test("an event wakes more clients than one invocation of a function wakes", async () => {
    const [userId, queueIds] = [await host.ownerId(), Array.from({ length: 300 }, () => crypto.randomUUID())];
    for (const queueId of queueIds) {
      await host.callSqs("CreateQueue", { QueueName: host.wakeUpQueueUrl(queueId).split("/").at(-1) });
    }
    const recordOf = (queueId: string) => ({ pk: "WAKEUPQUEUES", sk: queueId, queueId, userId, dueAt: Date.now() });
    await seedTable(
      host,
      queueIds.map((queueId) => ({ ...recordOf(queueId), eventTypes: ["message"] })),
    );

    await host.do(viola, "POST", "/messages", { type: "direct", to: [userId], content: "everybody, wake up" });

    for (const queueId of queueIds) await expect.poll(() => host.pendingWakeUps(queueId)).toBe(1);
    for (const sk of queueIds) await tableOf(host).delete({ key: { pk: "WAKEUPQUEUES", sk } });
  });

  test("events of a channel joined after registration wake the client once it has received the join", async () => {
    await host.subscribe("joined later", viola);
    const queueId = await host.register({ event_types: ["message", "subscription"] }, owner);
    await host.subscribe("joined later", owner);
    const { body } = await host.fetchOnce(host.eventsUrl(queueId));
    const last = body.events.at(-1).id;
    expect(body.events).toMatchObject([{ type: "subscription", op: "add" }]);
    const { nextUrl } = await host.fetchOnce(host.eventsUrl(queueId, last));

    const waiting = host.fetchOnce(nextUrl);
    await host.do(viola, "POST", "/messages", {
      type: "channel",
      to: "joined later",
      topic: "t",
      content: "welcome",
    });
    const startedAt = Date.now();
    await waiting;

    expect(Date.now() - startedAt).toBeLessThan(15_000);
    // Earlier wake-ups may have ended this wait: only the events that the client receives count.
    await expect
      .poll(async () =>
        (await host.fetchOnce(host.eventsUrl(queueId, last))).body?.events?.map(({ message }: any) => message?.content),
      )
      .toContain("welcome");
  });

  test("a guest with limited access to users is woken when a user becomes visible, even if its queue has only realm_user events", async () => {
    const guest = "guest@globe.test";
    const password = "a long enough password";
    const { user_id } = await host.as(owner, "POST", "/users", { email: guest, full_name: "Guest", password });
    await host.do(owner, "PATCH", `/users/${user_id}`, { role: roles.guest });
    const { user_groups } = await host.as(owner, "GET", "/user_groups");
    const members = user_groups.find(({ name }: { name: string }) => name === "role:members").id;
    await host.do(owner, "PATCH", "/realm", { can_access_all_users_group: { new: members } });
    await host.subscribe("guests welcome", owner);
    await host.subscribe("guests welcome", guest, owner);
    await host.do(guest, "DELETE", "/users/me/subscriptions", { subscriptions: ["stage"] });
    const queueId = await host.register({ event_types: ["realm_user"] }, guest);
    const { user_id: violaId } = await host.as(viola, "GET", "/users/me");
    const { nextUrl } = await host.fetchOnce(host.eventsUrl(queueId), guest);

    const waiting = host.fetchOnce(nextUrl, guest);
    const startedAt = Date.now();
    await host.subscribe("guests welcome", viola);
    await waiting;

    expect(Date.now() - startedAt).toBeLessThan(15_000);
    // Earlier wake-ups may have ended this wait, too.
    await expect
      .poll(async () => (await host.fetchOnce(host.eventsUrl(queueId), guest)).body?.events)
      .toMatchObject([{ type: "realm_user", op: "add", person: { user_id: violaId } }]);
  });
});
