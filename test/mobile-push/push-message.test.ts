import { describe, expect, test } from "vitest";
import { pushMessageJob } from "../../shared/messaging/mobile-push/jobs.ts";
import { enqueue } from "../../shared/services/jobs/queues.ts";
import { findPushedUsers } from "../../shared/store/delivery/pushed-messages.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import {
  aDevice,
  bouncerRequests,
  type Device,
  devicesOf,
  registerDevice,
  scriptBouncer,
} from "../support/outside/bouncer.ts";
import { aReceiverOf } from "../support/outside/receiver.ts";
import { aWebhookBot } from "../support/people.ts";
import { dueMessage, fire } from "../support/table/due-message.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** A user with an active device. */
async function aDeviceOwner(name: string, kind: "fcm" | "apns" = "fcm"): Promise<{ person: Person; device: Device }> {
  const person = await aPerson(name);
  const device = aDevice(kind);
  await registerDevice(person, device);
  return { person, device };
}

/** The notifications that a device received, oldest first. */
async function notificationsOn(device: Device): Promise<any[]> {
  const requests = await bouncerRequests(`"push_account_id":${device.pushAccountId},`, "push/e2ee/notify");
  return requests
    .flatMap(({ body }) => body.push_requests as any[])
    .filter(({ payload }) => payload.push_account_id === device.pushAccountId)
    .map(({ payload, ...rest }) => ({ ...rest, notification: device.open(payload.encrypted_data) }));
}
const waitForNotifications = (device: Device, count = 1) =>
  eventually(async () => {
    const received = await notificationsOn(device);
    return received.length >= count && received;
  });
const notifiedIdsOf = async (device: Device): Promise<number[]> =>
  (await notificationsOn(device)).map(({ notification }) => notification.message_id);

test.concurrent("a direct message is pushed to its recipient's devices, which alone can decrypt it", async () => {
  const sender = await aPerson("Silvius");
  const { person, device } = await aDeviceOwner("Phebe", "apns");

  const id = await sendDirect(sender, [person], "So holy and so **perfect** is my love");

  const [notification] = await waitForNotifications(device);
  expect(notification).toEqual({
    device_id: expect.any(Number),
    http_headers: { apns_priority: 10, apns_push_type: "alert" },
    notification: {
      type: "message",
      message_id: id,
      time: expect.any(Number),
      content: "So holy and so perfect is my love",
      sender_id: sender.id,
      sender_full_name: "Silvius",
      sender_avatar_url: expect.stringMatching(/^https?:/),
      recipient_type: "direct",
      realm_name: "Globe Theatre",
      realm_url: expect.stringMatching(/^https?:/),
      user_id: person.id,
    },
  });
});

test.concurrent("a group direct message lists its participants, and its sender is not notified", async () => {
  const sender = await aDeviceOwner("Silvius");
  const { person, device } = await aDeviceOwner("Phebe");
  const third = await aPerson("Ganymede");

  const id = await sendDirect(sender.person, [person, third], "All of you");

  const [{ notification }] = await waitForNotifications(device);
  expect(notification).toMatchObject({ recipient_type: "direct", message_id: id });
  expect(notification.pm_users).toBe([sender.person.id, person.id, third.id].sort((a, b) => a - b).join(","));
  expect(await notificationsOn(sender.device)).toEqual([]);
});

test.concurrent("in a channel only mentions are notified by default", async () => {
  const sender = await aPerson("Silvius");
  const { person, device } = await aDeviceOwner("Phebe");
  // By default a mentioned user follows the topic.
  await person.do("PATCH", "/settings", { automatically_follow_topics_where_mentioned: false });
  const forest = await aChannel("forest", [sender, person]);

  await sendToChannel(sender, forest, "love", "to nobody");
  const id = await sendToChannel(sender, forest, "love", `@**Phebe|${person.id}** sweet`);

  const [{ notification }] = await waitForNotifications(device);
  expect(notification).toMatchObject({
    message_id: id,
    content: "@Phebe sweet",
    recipient_type: "channel",
    channel_id: forest.id,
    channel_name: forest.name,
    topic: "love",
  });
  expect(notification).not.toHaveProperty("pm_users");
  expect(await notifiedIdsOf(device)).toEqual([id]);
});

test.concurrent("settings for the channel, topic or sender decide about notifications", async () => {
  const [sender, bore] = [await aPerson("Silvius"), await aPerson("Touchstone")];
  const { person, device } = await aDeviceOwner("Phebe");
  const [loud, muted] = [await aChannel("loud", [sender, person, bore]), await aChannel("muted", [sender, person])];
  const setting = (channel: { id: number }, property: string, value: unknown) => ({
    stream_id: channel.id,
    property,
    value,
  });
  const subscription_data = [
    setting(loud, "push_notifications", true),
    setting(muted, "push_notifications", true),
    setting(muted, "is_muted", true),
  ];
  await person.do("POST", "/users/me/subscriptions/properties", { subscription_data });
  await person.do("POST", "/user_topics", { stream_id: loud.id, topic: "noise", visibility_policy: 1 });
  await person.do("POST", "/user_topics", { stream_id: muted.id, topic: "dear", visibility_policy: 3 });
  await person.do("POST", `/users/me/muted_users/${bore.id}`);

  await sendToChannel(sender, loud, "noise", "a muted topic");
  await sendToChannel(sender, muted, "any", "a muted channel");
  await sendDirect(bore, [person], "a muted sender");
  const wantedIds = [
    await sendToChannel(sender, loud, "song", "a channel that is wanted"),
    await sendToChannel(sender, muted, "Dear", "a followed topic"),
    // A separate topic, because mentioned users follow a topic, and the jobs of earlier messages may still be running.
    await sendToChannel(sender, muted, "other", `@**Phebe|${person.id}** even where it is muted`),
  ];

  await waitForNotifications(device, 3);
  expect((await notifiedIdsOf(device)).sort((a, b) => a - b)).toEqual(wantedIds);
});

test.concurrent("group and wildcard mentions notify the mentioned users", async () => {
  const sender = await aPerson("Silvius", { role: "owner" });
  const [member, other] = [await aDeviceOwner("Phebe"), await aDeviceOwner("Audrey")];
  const forest = await aChannel("forest", [sender, member.person, other.person]);
  const name = `lovers ${member.person.id}`;
  const { body } = await sender.call("POST", "/user_groups/create", {
    name,
    description: "",
    members: [member.person.id],
  });

  const toGroup = await sendToChannel(sender, forest, "love", `@*${name}* listen`);
  const toAll = await sendToChannel(sender, forest, "love", "@**all** listen");

  await waitForNotifications(member.device, 2);
  await waitForNotifications(other.device, 1);
  const groupNotification = (await notificationsOn(member.device)).find(
    ({ notification }) => notification.message_id === toGroup,
  );
  expect(groupNotification.notification).toMatchObject({
    mentioned_user_group_id: body.group_id,
    mentioned_user_group_name: name,
  });
  expect(await notifiedIdsOf(other.device)).toEqual([toAll]);
});

test.concurrent("an online user is notified only if their setting says so", async () => {
  const sender = await aPerson("Silvius");
  const [offlineOnly, online, never] = [
    await aDeviceOwner("Offline Only"),
    await aDeviceOwner("Online"),
    await aDeviceOwner("Never"),
  ];
  await online.person.do("PATCH", "/settings", { enable_online_push_notifications: true });
  await never.person.do("PATCH", "/settings", { enable_offline_push_notifications: false });
  for (const { person } of [offlineOnly, online]) await person.do("POST", "/users/me/presence", { status: "active" });

  const id = await sendDirect(sender, [offlineOnly.person, online.person, never.person], "Is anybody there?");

  await waitForNotifications(online.device);
  expect(await notifiedIdsOf(online.device)).toEqual([id]);
  expect([...(await notificationsOn(offlineOnly.device)), ...(await notificationsOn(never.device))]).toEqual([]);
});

describe.concurrent("a notification that is shown", () => {
  test("is retracted when the message is read", async () => {
    const sender = await aPerson("Silvius");
    const { person, device } = await aDeviceOwner("Phebe");
    const ids = [await sendDirect(sender, [person], "one"), await sendDirect(sender, [person], "two")];
    await waitForNotifications(device, 2);

    await person.do("POST", "/messages/flags", { messages: ids, op: "add", flag: "read" });

    // The bouncer may have a notification before it is recorded as shown, in which case it is retracted by itself, or twice.
    const removedIdsOf = (removals: any[]) =>
      new Set(removals.flatMap(({ notification }) => notification.message_ids as number[]));
    const removals = await eventually(async () => {
      const found = (await notificationsOn(device)).filter(({ notification }) => notification.type === "remove");
      return removedIdsOf(found).size >= ids.length && found;
    });
    expect(removedIdsOf(removals)).toEqual(new Set(ids));
    for (const removal of removals)
      expect(removal).toMatchObject({ fcm_priority: "normal", notification: { user_id: person.id } });
  });

  test("is retracted when everything is marked as read", async () => {
    const sender = await aPerson("Silvius");
    const { person, device } = await aDeviceOwner("Phebe");
    const id = await sendDirect(sender, [person], "one of many");
    await waitForNotifications(device);

    await person.do("POST", "/mark_all_as_read");

    const removal = await eventually(async () =>
      (await notificationsOn(device)).find(({ notification }) => notification.type === "remove"),
    );
    expect(removal.notification.message_ids).toEqual([id]);
  });

  test("is retracted when the message is deleted", async () => {
    const sender = await aPerson("Silvius", { role: "owner" });
    const { person, device } = await aDeviceOwner("Phebe");
    const id = await sendDirect(sender, [person], "forget it");
    await waitForNotifications(device);

    await sender.do("DELETE", `/messages/${id}`);

    const removal = await eventually(async () =>
      (await notificationsOn(device)).find(({ notification }) => notification.type === "remove"),
    );
    expect(removal.notification.message_ids).toEqual([id]);
  });

  test("is shown once, even if its job repeats", async () => {
    const sender = await aPerson("Silvius");
    const { person, device } = await aDeviceOwner("Phebe");
    const id = await sendDirect(sender, [person], "once");
    // A job that repeats before the notification is recorded as shown sends it again.
    await eventually(async () => (await findPushedUsers([person.id], id)).has(person.id));

    for (let time = 0; time < 3; time++) await enqueue(pushMessageJob, { message_id: id, after: 0 });
    await sendDirect(sender, [person], "last");

    await waitForNotifications(device, 2);
    // Duplicates would arrive within this time.
    await new Promise((done) => setTimeout(done, 500));
    expect((await notifiedIdsOf(device)).filter((notifiedId) => notifiedId === id)).toEqual([id]);
  });
});

test.concurrent("scheduled messages and those of bots are notified like any other", async () => {
  const [sender, owner] = [await aPerson("Silvius"), await aPerson("Corin")];
  const { person, device } = await aDeviceOwner("Phebe");
  const service = await aReceiverOf({ content: `@**Phebe|${person.id}** by a bot` });
  const bot = await aWebhookBot("Herald", owner, service.url);
  const forest = await aChannel("forest", [sender, person]);

  await fire(await dueMessage(sender, { userIds: [person.id], content: "by a schedule" }, 1_000_001), 1);
  await sendToChannel(sender, forest, "love", `@**Herald|${bot.id}** call her`);

  // Sooner than the scheduled run of the log consumer, once a minute.
  const notification = await eventually(async () => {
    const received = await notificationsOn(device);
    return received.length > 1 && received;
  }, 25);
  expect(notification.map(({ notification: { content } }) => content).sort()).toEqual([
    "@Phebe by a bot",
    "by a schedule",
  ]);
});

test.concurrent("a device that the bouncer no longer knows is deleted", async () => {
  const sender = await aPerson("Silvius");
  const { person, device } = await aDeviceOwner("Phebe");
  await sendDirect(sender, [person], "first");
  await waitForNotifications(device);
  const [{ device_id: deviceId }] = await notificationsOn(device);
  const marker = `"push_account_id":${device.pushAccountId},`;
  await scriptBouncer({
    containing: marker,
    times: 1,
    status: 200,
    body: { result: "success", msg: "", delete_device_ids: [deviceId] },
  });

  await sendDirect(sender, [person], "second");

  await eventually(async () => Object.keys(await devicesOf(person)).length === 0);
});
