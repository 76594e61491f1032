import { expect, test } from "vitest";
import { aboutChannel, listen } from "../support/listener.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** The events about channels that clients receive, according to their registration options. */

const unique = (name: string) => `${name} ${Math.random().toString(36).slice(2, 10)}`;
const channelEvents = { event_types: ["subscription", "stream"] };
const capabilities = { notification_settings_null: true, archived_channels: true };
const subscribe = (by: Person, name: string, who: Person) =>
  by.call("POST", "/users/me/subscriptions", {
    subscriptions: [{ name }],
    principals: [who.id],
    send_new_subscription_messages: false,
  });
/** The events about a channel, but for its first message, which follows whenever the log's consumer gets to it. */
const concerning = (events: any[], id: number) =>
  events
    .filter(({ property }) => property !== "first_message_id")
    .filter((event) => JSON.stringify(event).includes(`:${id}`) || JSON.stringify(event).includes(`[${id}`));

test("a queue receives its owner's subscription events with the requested fields, and the creation of a private channel", async () => {
  const [viola, olivia] = [await aPerson("Viola"), await aPerson("Olivia")];
  const closed = await aChannel("closed", [olivia], { inviteOnly: true });
  const [withSubscribers, plain, channelsOnly, subscriptionsOnly, peer] = await Promise.all([
    listen(
      viola,
      { ...channelEvents, include_subscribers: "true", client_capabilities: capabilities },
      aboutChannel(closed),
    ),
    listen(viola, channelEvents, aboutChannel(closed)),
    listen(viola, { event_types: ["stream"] }, aboutChannel(closed)),
    listen(viola, { event_types: ["subscription"] }, aboutChannel(closed)),
    listen(olivia, channelEvents, aboutChannel(closed)),
  ]);

  await subscribe(olivia, closed.name, viola);

  const kinds = (events: any[]) => events.map(({ type, op }) => `${type} ${op}`);
  await withSubscribers.next("subscription");
  expect(kinds(withSubscribers.received)).toEqual(["stream create", "subscription add"]);
  expect(withSubscribers.received[1].subscriptions[0]).toMatchObject({
    stream_id: closed.id,
    desktop_notifications: null,
    subscribers: [viola.id, olivia.id].sort((a, b) => a - b),
  });
  await plain.next("subscription");
  expect(plain.received[1].subscriptions[0].desktop_notifications).toEqual(expect.any(Boolean));
  expect(plain.received[1].subscriptions[0]).not.toHaveProperty("subscribers");
  expect((await channelsOnly.next("stream")).op).toBe("create");
  expect(kinds(channelsOnly.received)).toEqual(["stream create"]);
  expect((await subscriptionsOnly.next("subscription")).op).toBe("add");
  expect(kinds(subscriptionsOnly.received)).toEqual(["subscription add"]);
  expect(await peer.next("subscription")).toMatchObject({
    op: "peer_add",
    stream_ids: [closed.id],
    user_ids: [viola.id],
  });
});

test("a channel's rename, mute, archival and unsubscription are in the queue's events and in later snapshots", async () => {
  const [viola, admin] = [await aPerson("Viola"), await aPerson("Olivia", { role: "administrator" })];
  const wood = await aChannel("wood", [viola]);
  const listener = await listen(viola, {
    event_types: [
      "subscription",
      "stream",
      "default_streams",
      "channel_folders",
      "channel_folder",
      "realm_user_groups",
    ],
    client_capabilities: capabilities,
  });

  expect(listener.state.subscriptions.map(({ stream_id }: any) => stream_id)).toEqual([wood.id]);
  expect(listener.state.streams.map(({ stream_id }: any) => stream_id)).toContain(wood.id);
  expect(listener.state.never_subscribed.map(({ stream_id }: any) => stream_id)).not.toContain(wood.id);
  const name = unique("renamed");
  await admin.do("PATCH", `/streams/${wood.id}`, { new_name: name });
  await viola.do("POST", "/users/me/subscriptions/properties", {
    subscription_data: [{ stream_id: wood.id, property: "is_muted", value: true }],
  });
  await admin.do("DELETE", `/streams/${wood.id}`);
  await viola.do("DELETE", "/users/me/subscriptions", { subscriptions: [name] });

  while (
    !listener.received.some(({ op, subscriptions }) => op === "remove" && subscriptions?.[0]?.stream_id === wood.id)
  )
    await listener.poll({ dont_block: false });
  expect(concerning(listener.received, wood.id).map(({ type, op, property }) => [type, op, property])).toEqual([
    ["stream", "update", "name"],
    ["subscription", "update", "in_home_view"],
    ["subscription", "update", "is_muted"],
    ["stream", "update", "is_archived"],
    ["subscription", "remove", undefined],
  ]);
  const laterListener = await listen(viola, { event_types: ["subscription"], client_capabilities: capabilities });
  expect(laterListener.state.unsubscribed.map(({ stream_id }: any) => stream_id)).toEqual([wood.id]);
  const olderClient = await listen(viola, { event_types: ["subscription"] });
  expect(olderClient.state.unsubscribed).toEqual([]);
});
