import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findChannelWithStats } from "../../shared/store/channels/channels.ts";
import { listSubscriberIds } from "../../shared/store/channels/subscriptions.ts";
import { padded } from "../../shared/store/table/keys.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { put, update, type Write } from "../../shared/store/table/writes.ts";
import { createUser } from "../../shared/store/users/users.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import { isLocal } from "../support/world.ts";

/** Channels with thousands of subscribers, on a private host, because they would slow down all other test files. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";
let host: PrivateHost;

async function writeAll(writes: readonly Write[]) {
  const batches = Array.from({ length: Math.ceil(writes.length / 100) }, (_, index) =>
    writes.slice(index * 100, index * 100 + 100),
  );
  for (let start = 0; start < batches.length; start += 4)
    await Promise.all(batches.slice(start, start + 4).map((batch) => transact(batch)));
}

const userWrite = (id: number) =>
  createUser({
    id,
    email: `p${id}@globe.test`,
    fullName: `Player ${id}`,
    role: 400,
    active: true,
    joinedAt: 1,
    timezone: "",
    avatarSource: "G",
    avatarVersion: 1,
  });

describe.skipIf(!isLocal())("on a private local host", () => {
  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
  }, 60_000);
  afterAll(() => host?.stop());

  test("five thousand users are subscribed within the time limit by one request, and repeating it has no effect", async () => {
    const ids = Array.from({ length: 5000 }, (_, index) => 10_000 + index);
    await writeAll(ids.map(userWrite));
    await host.do(owner, "POST", "/channels/create", { name: "globe", subscribers: [] });
    const params = { subscriptions: [{ name: "globe" }], principals: ids };
    const startedAt = performance.now();

    const reply = await host.as(owner, "POST", "/users/me/subscriptions", params);

    const seconds = (performance.now() - startedAt) / 1000;
    expect(reply.status).toBe(200);
    expect(Object.keys(reply.subscribed)).toHaveLength(5000);
    expect(reply.new_subscription_messages_sent).toBe(false);
    expect(seconds).toBeLessThan(25);
    const { stream_id: id } = await host.as(owner, "GET", "/get_stream_id", { stream: "globe" });
    expect((await findChannelWithStats(id))?.stats.subscriberCount).toBe(5000);
    expect(await listSubscriberIds(id)).toEqual(ids);
    const again = await host.as(owner, "POST", "/users/me/subscriptions", params);
    expect([Object.keys(again.subscribed).length, Object.keys(again.already_subscribed).length]).toEqual([0, 5000]);
    const created = await host.as(owner, "POST", "/channels/create", { name: "fortune", subscribers: ids });
    expect((await findChannelWithStats(created.id))?.stats.subscriberCount).toBe(5000);
    expect(await listSubscriberIds(created.id)).toHaveLength(5000);
  }, 180_000);

  test("a channel with fifty thousand subscribers works in every call", async () => {
    const { id } = await host.as(owner, "POST", "/channels/create", { name: "world", subscribers: [] });
    const ids = Array.from({ length: 50_000 }, (_, index) => 100_000 + index);
    await writeAll(
      ids.map((userId) =>
        put({
          pk: `USER#${userId}`,
          sk: `SUBSCRIPTION#${padded(id)}`,
          gsi3pk: `SUBSCRIBERS#${id}`,
          gsi3sk: `USER#${padded(userId)}`,
        }),
      ),
    );
    await transact([update({ pk: "CHANNELS", sk: `${padded(id)}#STATS` }, { set: { subscriberCount: 50_000 } })]);
    const callAs = async (who: string, method: string, path: string, params: Record<string, unknown> = {}) => {
      const reply = await host.as(who, method, path, params);
      expect([path, reply.status]).toEqual([path, 200]);
      return reply;
    };

    const joined = await callAs(viola, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "world" }] });
    const members = await callAs(viola, "GET", `/streams/${id}/members`);
    const whole = await callAs(viola, "GET", "/users/me/subscriptions", { include_subscribers: "true" });
    const partial = await callAs(viola, "GET", "/users/me/subscriptions", { include_subscribers: "partial" });
    const record = await callAs(viola, "GET", `/streams/${id}`);
    await callAs(viola, "POST", "/users/me/subscriptions/properties", {
      subscription_data: [{ stream_id: id, property: "pin_to_top", value: true }],
    });
    await callAs(viola, "POST", "/messages", {
      type: "channel",
      to: id,
      topic: "t",
      content: "All the world's a stage.",
    });
    const topics = await callAs(viola, "GET", `/users/me/${id}/topics`);
    await callAs(owner, "PATCH", `/streams/${id}`, { new_name: "the world", can_send_message_group: { new: 3 } });
    await callAs(viola, "DELETE", "/users/me/subscriptions", { subscriptions: ["the world"] });
    const listed = await callAs(owner, "GET", "/streams");
    await callAs(owner, "POST", `/streams/${id}/delete_topic`, { topic_name: "t" });
    await callAs(owner, "DELETE", `/streams/${id}`);

    expect(Object.values(joined.subscribed)).toEqual([["world"]]);
    expect(members.subscribers).toHaveLength(50_001);
    const subscriptionIn = (reply: any) =>
      reply.subscriptions.find((each: { stream_id: number }) => each.stream_id === id);
    expect(subscriptionIn(whole).subscribers).toHaveLength(50_001);
    expect(subscriptionIn(partial)).toMatchObject({ partial_subscribers: [], subscriber_count: 50_001 });
    expect(subscriptionIn(partial)).not.toHaveProperty("subscribers");
    expect(record.stream.subscriber_count).toBe(50_001);
    expect(topics.topics.map(({ name }: { name: string }) => name)).toContain("t");
    expect(listed.streams.find((each: { stream_id: number }) => each.stream_id === id).subscriber_count).toBe(50_000);
  }, 240_000);
});
