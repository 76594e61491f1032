import { beforeAll, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The effects of users' own settings. A test's name begins with the setting, by which every-setting.test.ts finds it. */

let ann: Person;
let ben: Person;
beforeAll(async () => {
  [ann, ben] = await Promise.all([aPerson("Ann"), aPerson("Ben")]);
});
const set = async (person: Person, settings: Record<string, unknown>) =>
  expect((await person.call("PATCH", "/settings", settings)).status).toBe(200);
const userTopicsOf = async (person: Person) =>
  (await person.call("POST", "/register", { event_types: ["user_topic"] })).body.user_topics as any[];
const listenForTyping = (person: Person) =>
  listen(person, {
    event_types: ["typing"],
    client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
  });

test("automatically_follow_topics_where_mentioned: whether a topic with a mention is followed", async () => {
  const [carl, dora] = [await aPerson("Carl"), await aPerson("Dora")];
  const hall = await aChannel("hall", [ann, carl, dora]);
  const nonSubscriber = await aPerson("Elsewhere");
  await set(dora, { automatically_follow_topics_where_mentioned: false });
  await carl.do("POST", "/user_topics", { stream_id: hall.id, topic: "noise", visibility_policy: 1 });
  const listener = await listen(carl, { event_types: ["user_topic"] });
  const mentions = [carl, dora, nonSubscriber].map(({ id, name }) => `@**${name}|${id}**`).join(" ");

  await sendToChannel(ann, hall, "plans", mentions);
  await sendToChannel(ann, hall, "noise", mentions);
  await sendToChannel(ann, hall, "silence", `@_**${carl.name}|${carl.id}**`);

  const followed = { stream_id: hall.id, topic_name: "plans", visibility_policy: 3 };
  expect(await listener.next("user_topic")).toMatchObject(followed);
  expect(await listener.poll()).toEqual([]);
  expect(await userTopicsOf(carl)).toEqual([
    expect.objectContaining({ topic_name: "noise", visibility_policy: 1 }),
    expect.objectContaining(followed),
  ]);
  expect(await userTopicsOf(dora)).toEqual([]);
  expect(await userTopicsOf(nonSubscriber)).toEqual([]);
});

test("send_private_typing_notifications, receives_typing_notifications: who sends and receives typing events in direct messages", async () => {
  const [carl, dora] = [await aPerson("Carl"), await aPerson("Dora")];
  const type = (person: Person) => person.call("POST", "/typing", { op: "start", to: [dora.id] });
  const listener = await listenForTyping(dora);

  await set(carl, { send_private_typing_notifications: false });
  await type(carl);
  await set(dora, { receives_typing_notifications: false });
  await type(ben);
  await set(dora, { receives_typing_notifications: true });
  await type(ben);

  expect((await listener.poll()).map(({ sender }: any) => sender.user_id)).toEqual([ben.id]);
});

test("send_stream_typing_notifications: whether typing events are sent in channels", async () => {
  const [carl, dora] = [await aPerson("Carl"), await aPerson("Dora")];
  const hall = await aChannel("hall", [carl, dora]);
  const type = () => carl.call("POST", "/typing", { op: "start", type: "channel", stream_id: hall.id, topic: "t" });
  const listener = await listenForTyping(dora);

  await set(carl, { send_stream_typing_notifications: false });
  await type();
  await set(carl, { send_stream_typing_notifications: true });
  await type();

  expect(await listener.poll()).toHaveLength(1);
});

test("enable_stream_desktop_notifications, enable_stream_audible_notifications, enable_stream_push_notifications, enable_stream_email_notifications: the defaults of subscriptions", async () => {
  const carl = await aPerson("Carl");
  const hall = await aChannel("hall", [carl]);
  const kinds = ["desktop", "audible", "push", "email"];
  const subscriptionDefaults = async () => {
    const { subscriptions } = (await carl.call("POST", "/register", { event_types: ["subscription"] })).body;
    const record = subscriptions.find(({ stream_id }: any) => stream_id === hall.id);
    return kinds.map((kind) => record[`${kind}_notifications`]);
  };
  expect(await subscriptionDefaults()).toEqual([false, false, false, false]);

  for (const kind of kinds) await set(carl, { [`enable_stream_${kind}_notifications`]: true });

  expect(await subscriptionDefaults()).toEqual([true, true, true, true]);
});
