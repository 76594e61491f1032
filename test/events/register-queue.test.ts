import { beforeAll, describe, expect, test } from "vitest";
import { listen } from "../support/listener.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let maria: Person;
let andrew: Person;
beforeAll(async () => {
  [maria, andrew] = await Promise.all([aPerson("Maria"), aPerson("Andrew")]);
});

const alwaysReturned = [
  "idle_queue_timeout_secs",
  "last_event_id",
  "max_bulk_new_subscription_messages",
  "msg",
  "queue_id",
  "result",
  "zulip_feature_level",
  "zulip_merge_base",
  "zulip_version",
];

const register = async (person: Person, params: Record<string, unknown>) =>
  (await person.call("POST", "/register", params)).body;

describe("the state", () => {
  test("is limited to the requested types", async () => {
    const body = await register(maria, {
      event_types: ["message"],
      fetch_event_types: ["realm_user", "user_settings"],
    });

    expect(body).toMatchObject({
      zulip_feature_level: 420,
      last_event_id: -1,
      user_id: maria.id,
      email: maria.email,
      full_name: "Maria",
    });
    expect(body.realm_users.map(({ user_id }: any) => user_id)).toContain(andrew.id);
    expect(body).not.toHaveProperty("subscriptions");
  });

  test("has all fields that clients need if the request names no types", async () => {
    const body = await register(maria, {});

    const neededFields =
      "queue_id last_event_id max_message_id zulip_version user_id email full_name realm_name realm_users " +
      "cross_realm_bots presences subscriptions muted_topics realm_user_groups realm_emoji unread_msgs starred_messages " +
      "realm_message_retention_days user_settings realm_linkifiers realm_filters user_topics realm_bots streams drafts " +
      "custom_profile_fields never_subscribed unsubscribed alert_words muted_users user_status twenty_four_hour_time " +
      "max_topic_length max_message_length server_presence_ping_interval_seconds presence_last_update_id";
    for (const field of neededFields.split(" ")) expect(body, field).toHaveProperty(field);
    const modernState = await register(maria, {
      client_capabilities: { notification_settings_null: true, user_settings_object: true },
    });
    expect(modernState).not.toHaveProperty("twenty_four_hour_time");
  });

  test("follows event_types if fetch_event_types is absent, and is empty for an empty list", async () => {
    expect(Object.keys(await register(maria, { event_types: ["saved_snippets"] })).sort()).toEqual(
      [...alwaysReturned, "saved_snippets"].sort(),
    );
    expect(Object.keys(await register(maria, { event_types: [] })).sort()).toEqual(alwaysReturned);
    expect(Object.keys(await register(maria, { event_types: ["nonsense"] })).sort()).toEqual(alwaysReturned);
  });

  test("has the caller's channels, with subscribers on request", async () => {
    const house = await aChannel("house", [maria, andrew]);
    const houseSubscription = async (include_subscribers: string) =>
      (await register(maria, { event_types: ["subscription"], include_subscribers })).subscriptions.find(
        ({ stream_id }: any) => stream_id === house.id,
      );

    expect(await houseSubscription("false")).toMatchObject({ name: house.name });
    expect(await houseSubscription("false")).not.toHaveProperty("subscribers");
    expect((await houseSubscription("true")).subscribers.sort()).toEqual([maria.id, andrew.id].sort());
    expect((await houseSubscription("partial")).subscribers.sort()).toEqual([maria.id, andrew.id].sort());
  });

  test("has scheduled messages ordered by time", async () => {
    const times = [200_000, 100_000].map((seconds) => Math.floor(Date.now() / 1000) + seconds);
    for (const scheduled_delivery_timestamp of times)
      await andrew.do("POST", "/scheduled_messages", {
        type: "direct",
        to: [maria.id],
        content: "later",
        scheduled_delivery_timestamp,
      });

    const { scheduled_messages } = await register(andrew, { event_types: ["scheduled_messages"] });

    expect(scheduled_messages.map((message: any) => message.scheduled_delivery_timestamp)).toEqual(times.toReversed());
  });
});

describe("the queue", () => {
  const messageIn = async (person: Person, options: Record<string, unknown>, content = "text") => {
    const listener = await listen(person, { event_types: ["message"], ...options });
    await sendDirect(andrew, [person], content);
    return (await listener.next("message")).message;
  };

  test("renders messages with apply_markdown", async () => {
    expect(await messageIn(maria, { apply_markdown: true })).toMatchObject({
      content: "<p>text</p>",
      content_type: "text/html",
    });
    expect(await messageIn(maria, {})).toMatchObject({ content: "text" });
  });

  test("has avatar URLs without client_gravatar", async () => {
    expect((await messageIn(maria, { client_gravatar: false })).avatar_url).toMatch(/^https:\/\/secure\.gravatar\.com/);
  });

  test("gets messages of all public channels with all_public_streams, but not private ones or for guests", async () => {
    const [publicChannel, privateChannel] = await Promise.all([
      aChannel("open", [andrew]),
      aChannel("closed", [andrew], { inviteOnly: true }),
    ]);
    const listener = await listen(maria, { event_types: ["message"], all_public_streams: true });

    await sendToChannel(andrew, privateChannel, "plot");
    const id = await sendToChannel(andrew, publicChannel, "plot");

    for (let event = await listener.next("message"); event.message.id !== id; ) event = await listener.next("message");
    expect(listener.received.at(-1)).toMatchObject({ flags: [], message: { id } });
    expect(listener.received.map(({ message }) => message.stream_id)).not.toContain(privateChannel.id);
    const guest = await aPerson("Guest", { role: "guest" });
    expect(await register(guest, { all_public_streams: true })).toMatchObject({
      code: "BAD_REQUEST",
      msg: "User not authorized for this query",
    });
  });

  test("is filtered by its narrow, which applies only to messages", async () => {
    const box = await aChannel("box", [andrew, maria]);
    const listener = await listen(maria, {
      event_types: ["message"],
      narrow: [
        ["channel", box.name],
        ["topic", "Tree"],
      ],
    });

    await sendToChannel(andrew, box, "hedge");
    await sendDirect(andrew, [maria]);
    const id = await sendToChannel(andrew, box, "tree");

    await listener.next("message");
    expect(listener.received.map(({ message }) => message.id)).toEqual([id]);
  });

  test.each([
    ["", false],
    ["general chat", false],
    ["", true],
    ["general chat", true],
  ])("finds the empty topic by %j, whether or not its client supports it (%#)", async (operand, supportsEmptyTopic) => {
    const box = await aChannel("box", [andrew, maria]);
    const listener = await listen(maria, {
      event_types: ["message"],
      narrow: [
        ["channel", box.name],
        ["topic", operand],
      ],
      client_capabilities: { notification_settings_null: true, empty_topic_name: supportsEmptyTopic },
    });

    await sendToChannel(andrew, box, "hedge");
    const id = await sendToChannel(andrew, box, "");

    await listener.next("message");
    expect(listener.received.map(({ message }) => message.id)).toEqual([id]);
  });

  test("refuses unsupported narrows", async () => {
    expect(await register(maria, { narrow: [["near", "7"]] })).toMatchObject({ msg: "Operator near not supported." });
    expect(await register(maria, { narrow: [["is", "followed"]] })).toMatchObject({ code: "BAD_REQUEST" });
    expect(await register(maria, { narrow: [["topic"]] })).toMatchObject({ msg: "narrow element is not a pair" });
  });

  test("shows the empty topic's display name to clients without support for it", async () => {
    const box = await aChannel("box", [andrew, maria]);
    const [legacyClient, modernClient] = await Promise.all([
      listen(maria, { event_types: ["message"] }),
      listen(maria, {
        event_types: ["message"],
        client_capabilities: { notification_settings_null: true, empty_topic_name: true },
      }),
    ]);

    await sendToChannel(andrew, box, "");

    expect((await legacyClient.next("message")).message.subject).toBe("general chat");
    expect((await modernClient.next("message")).message.subject).toBe("");
  });

  test("requires notification_settings_null in client_capabilities", async () => {
    expect(await register(maria, { client_capabilities: { bulk_message_deletion: true } })).toMatchObject({
      code: "BAD_REQUEST",
      msg: 'client_capabilities["notification_settings_null"] field is missing',
    });
  });
});

test("state and events are consistent: each message sent during registration is delivered exactly once", async () => {
  const [talker, hearer] = await Promise.all([aPerson("Talker"), aPerson("Hearer")]);
  const sent: number[] = [];
  let done = false;
  const sending = (async () => {
    while (!done) sent.push(await sendDirect(talker, [hearer], "word"));
  })();
  const listeners = [];
  for (let count = 0; count < 5; count++) {
    const sentBefore = sent.length;
    listeners.push({ sentBefore, listener: await listen(hearer, { event_types: ["message"], fetch_event_types: [] }) });
  }
  done = true;
  await sending;

  for (const { sentBefore, listener } of listeners) {
    while (listener.received.at(-1)?.message.id !== sent.at(-1)) await listener.poll();
    const received = listener.received.map(({ message }) => message.id);
    expect(received).toEqual(sent.slice(sent.length - received.length));
    expect(received.length).toBeLessThanOrEqual(sent.length - sentBefore + 1);
  }
});
