import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { listPushTokens } from "../../shared/store/delivery/push-tokens.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aDevice, bouncerRequests, registerDevice, scriptBouncer } from "../support/outside/bouncer.ts";
import { eventually } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Creates a user with a legacy device of each kind, and waits until the bouncer has both tokens. */
async function aPersonWithLegacyDevices(name: string) {
  const person = await aPerson(name);
  const [apnsToken, fcmToken] = [randomBytes(16).toString("hex"), `fcm-${randomBytes(8).toString("hex")}`];
  await person.do("POST", "/users/me/apns_device_token", { token: apnsToken, appid: "test.app" });
  await person.do("POST", "/users/me/android_gcm_reg_id", { token: fcmToken });
  await eventually(async () => (await bouncerRequests(fcmToken, "push/register")).length > 0);
  await eventually(async () => (await bouncerRequests(apnsToken, "push/register")).length > 0);
  return { person, apnsToken, fcmToken };
}
/** Waits for `count` notifications to a token. */
const notificationsTo = (token: string, count = 1): Promise<any[]> =>
  eventually(async () => {
    const requests = await bouncerRequests(token, "push/notify");
    return requests.length >= count && requests.map(({ body }) => body);
  });
const commonFields = (person: Person) => ({
  server: expect.any(String),
  realm_id: 1,
  realm_name: "Globe Theatre",
  realm_uri: expect.stringMatching(/^http/),
  realm_url: expect.stringMatching(/^http/),
  user_id: person.id,
});

test.concurrent("a direct message is sent to tokens of both kinds in one request", async () => {
  const sender = await aPerson("Duke Senior");
  const { person, apnsToken, fcmToken } = await aPersonWithLegacyDevices("Adam");

  const id = await sendDirect(sender, [person], "Sweet are the **uses** of adversity");

  const fields = {
    ...commonFields(person),
    event: "message",
    time: expect.any(Number),
    sender_id: sender.id,
    sender_email: sender.email,
    recipient_type: "private",
  };
  expect(await notificationsTo(fcmToken)).toEqual([
    {
      realm_uuid: expect.any(String),
      user_uuid: expect.any(String),
      user_id: person.id,
      apns_payload: {
        alert: { title: "Duke Senior", subtitle: "", body: "Sweet are the uses of adversity" },
        sound: "default",
        badge: 0,
        custom: { zulip: { ...fields, message_ids: [id] } },
      },
      gcm_payload: {
        ...fields,
        zulip_message_id: id,
        content: "Sweet are the uses of adversity",
        content_truncated: false,
        sender_full_name: "Duke Senior",
        sender_avatar_url: expect.stringMatching(/^https?:/),
      },
      gcm_options: { priority: "high" },
      android_devices: [fcmToken],
      apple_devices: [apnsToken],
    },
  ]);
});

test.concurrent("a mention's notification has its channel and topic, and reading it retracts the notification", async () => {
  const sender = await aPerson("Duke Senior");
  const { person, fcmToken } = await aPersonWithLegacyDevices("Adam");
  const forest = await aChannel("forest", [sender, person]);

  const id = await sendToChannel(sender, forest, "exile", `@**Adam|${person.id}** welcome`);
  const [{ gcm_payload, apns_payload }] = await notificationsTo(fcmToken);
  await person.do("POST", "/messages/flags", { messages: [id], op: "add", flag: "read" });

  expect(gcm_payload).toMatchObject({
    recipient_type: "stream",
    stream: forest.name,
    stream_id: forest.id,
    topic: "exile",
  });
  expect(apns_payload.alert).toMatchObject({ title: `#${forest.name} > exile`, subtitle: "Duke Senior:" });
  const [, removal] = await notificationsTo(fcmToken, 2);
  const fields = { ...commonFields(person), event: "remove", zulip_message_ids: String(id) };
  expect(removal).toMatchObject({
    gcm_payload: { ...fields, zulip_message_id: id },
    apns_payload: { badge: 0, custom: { zulip: fields } },
    gcm_options: { priority: "normal" },
  });
});

test.concurrent("a new device is notified too, and a token that the bouncer no longer knows is deleted", async () => {
  const sender = await aPerson("Duke Senior");
  const { person, apnsToken, fcmToken } = await aPersonWithLegacyDevices("Adam");
  const device = aDevice("fcm");
  await registerDevice(person, device);
  await scriptBouncer({
    containing: fcmToken,
    times: 1,
    status: 200,
    body: { result: "success", msg: "", deleted_devices: { android_devices: [fcmToken], apple_devices: [] } },
  });

  await sendDirect(sender, [person], "to both");

  await notificationsTo(apnsToken);
  await eventually(async () => (await bouncerRequests(`${device.pushAccountId}`, "push/e2ee/notify")).length > 0);
  await eventually(async () => (await listPushTokens(person.id)).every(({ token }) => token === apnsToken));
});
