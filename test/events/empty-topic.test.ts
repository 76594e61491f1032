import { beforeAll, describe, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let ann: Person;
let ben: Person;
beforeAll(async () => {
  [ann, ben] = await Promise.all([aPerson("Ann"), aPerson("Ben")]);
});

describe.each([
  ["supports the empty topic receives the empty string as its name", true, ""],
  ["does not support the empty topic receives its display name", false, "general chat"],
])("a client that %s", (_, supportsEmptyTopic, topic) => {
  const listenFor = (person: Person, event_types: string[]) =>
    listen(person, {
      event_types,
      client_capabilities: {
        notification_settings_null: true,
        stream_typing_notifications: true,
        empty_topic_name: supportsEmptyTopic,
      },
    });

  test("at registration", async () => {
    const hall = await aChannel("hall", [ann, ben]);
    const id = await sendToChannel(ann, hall, "");
    await ben.do("POST", "/user_topics", { stream_id: hall.id, topic: "", visibility_policy: 1 });

    const { state } = await listenFor(ben, ["message", "update_message_flags", "user_topic"]);
    const { state: legacyState } = await listenFor(ben, ["muted_topics"]);

    expect(state.unread_msgs.streams).toContainEqual({ stream_id: hall.id, topic, unread_message_ids: [id] });
    expect(state.user_topics).toContainEqual(expect.objectContaining({ stream_id: hall.id, topic_name: topic }));
    expect(legacyState.muted_topics).toContainEqual([hall.name, topic, expect.any(Number)]);
  });

  test("when a message is marked as unread", async () => {
    const hall = await aChannel("hall", [ann, ben]);
    const messages = [await sendToChannel(ann, hall, "")];
    await ben.do("POST", "/messages/flags", { messages, op: "add", flag: "read" });
    const listener = await listenFor(ben, ["update_message_flags"]);

    await ben.do("POST", "/messages/flags", { messages, op: "remove", flag: "read" });

    const { message_details } = await listener.next("update_message_flags");
    expect(message_details[String(messages[0])]).toMatchObject({ stream_id: hall.id, topic });
  });

  test("when a topic is muted", async () => {
    const hall = await aChannel("hall", [ben]);
    const [listener, legacyListener] = [await listenFor(ben, ["user_topic"]), await listenFor(ben, ["muted_topics"])];

    await ben.do("POST", "/user_topics", { stream_id: hall.id, topic: "", visibility_policy: 1 });

    expect(await listener.next("user_topic")).toMatchObject({ topic_name: topic });
    const { muted_topics } = await legacyListener.next("muted_topics");
    expect(muted_topics).toContainEqual([hall.name, topic, expect.any(Number)]);
  });

  test("when sending makes the user follow the topic", async () => {
    const hall = await aChannel("hall", [ann]);
    const listener = await listenFor(ann, ["user_topic"]);

    await sendToChannel(ann, hall, "");

    expect(await listener.next("user_topic")).toMatchObject({ stream_id: hall.id, topic_name: topic });
  });

  test("when somebody edits a message", async () => {
    const hall = await aChannel("hall", [ann, ben]);
    const id = await sendToChannel(ann, hall, "");
    const listener = await listenFor(ben, ["typing_edit_message"]);

    await ann.do("POST", `/messages/${id}/typing`, { op: "start" });

    const { recipient } = await listener.next("typing_edit_message");
    expect(recipient).toEqual({ type: "channel", channel_id: hall.id, topic });
  });
});
