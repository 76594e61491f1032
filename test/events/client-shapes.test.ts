import { beforeAll, expect, test } from "vitest";
import { aboutChannel, listen } from "../support/listener.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let ann: Person;
let ben: Person;
beforeAll(async () => {
  [ann, ben] = await Promise.all([aPerson("Ann"), aPerson("Ben")]);
});

const withCapabilities = (...names: string[]) => ({
  client_capabilities: { notification_settings_null: true, ...Object.fromEntries(names.map((name) => [name, true])) },
});
const listenFor = (person: Person, types: string[], options = {}) =>
  listen(person, { event_types: types, fetch_event_types: [], ...options });
const id = expect.any(Number);

test("an edited message comes with the reader's own flags", async () => {
  const messageId = await sendDirect(ann, [ben], "frist");
  await ben.do("POST", "/messages/flags", { messages: [messageId], op: "add", flag: "starred" });
  const listener = await listenFor(ben, ["update_message"]);

  await ann.do("PATCH", `/messages/${messageId}`, { content: "first" });

  expect(await listener.next("update_message")).toMatchObject({
    message_id: messageId,
    message_ids: [messageId],
    content: "first",
    orig_content: "frist",
    flags: ["starred"],
  });
});

test("bulk deletions are one event for clients that support it, and single events for others", async () => {
  const messageId = await sendDirect(ann, [ben]);
  const [bulkClient, singleClient] = await Promise.all([
    listenFor(ben, ["delete_message"], withCapabilities("bulk_message_deletion")),
    listenFor(ben, ["delete_message"]),
  ]);

  expect((await ann.call("DELETE", `/messages/${messageId}`)).body.result).toBe("success");

  const common = { type: "delete_message", id, message_type: "private" };
  expect(await bulkClient.poll()).toEqual([{ ...common, message_ids: [messageId] }]);
  expect(await singleClient.poll()).toEqual([{ ...common, message_id: messageId }]);
});

test("a new subscriber gets a subscription event, and the others a peer_add event", async () => {
  const [carl, dora] = await Promise.all([aPerson("Carl"), aPerson("Dora")]);
  const hall = await aChannel("hall", [carl]);
  const [dorasListener, carlsListener] = await Promise.all([
    listenFor(dora, ["subscription"]),
    listenFor(carl, ["subscription"]),
  ]);

  await dora.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: hall.name }] });
  await dora.do("DELETE", "/users/me/subscriptions", { subscriptions: [hall.name] });

  const ids = { stream_ids: [hall.id], user_ids: [dora.id] };
  expect(await dorasListener.poll()).toMatchObject([
    { op: "add", subscriptions: [{ stream_id: hall.id, name: hall.name, desktop_notifications: false }] },
    { op: "remove", subscriptions: [{ stream_id: hall.id, name: hall.name }] },
  ]);
  expect(await carlsListener.poll()).toEqual([
    { type: "subscription", op: "peer_add", id, ...ids },
    { type: "subscription", op: "peer_remove", id, ...ids },
  ]);
});

test("a private channel is added and removed together with the subscription", async () => {
  const [carl, dora] = await Promise.all([aPerson("Carl"), aPerson("Dora")]);
  const cellar = await aChannel("cellar", [carl], { inviteOnly: true });
  const types = { event_types: ["subscription", "stream"], fetch_event_types: [] };
  const listener = await listen(dora, { ...types, ...withCapabilities() }, aboutChannel(cellar));

  await carl.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: cellar.name }],
    principals: [dora.id],
  });
  await listener.next("subscription");
  expect(listener.received).toMatchObject([
    { type: "stream", op: "create", streams: [{ stream_id: cellar.id }] },
    { type: "subscription", op: "add", subscriptions: [{ stream_id: cellar.id, desktop_notifications: null }] },
  ]);
  await dora.do("DELETE", "/users/me/subscriptions", { subscriptions: [cellar.name] });
  await listener.next("stream");

  expect(listener.received.slice(2)).toMatchObject([
    { type: "subscription", op: "remove" },
    { type: "stream", op: "delete", stream_ids: [cellar.id] },
  ]);
});

test("later subscribers get no events for reactions to messages that they may not read", async () => {
  const [carl, dora] = await Promise.all([aPerson("Carl"), aPerson("Dora")]);
  const crypt = await aChannel("crypt", [carl], { inviteOnly: true });
  const before = await sendToChannel(carl, crypt, "secrets");
  await carl.do("POST", "/users/me/subscriptions", {
    subscriptions: [{ name: crypt.name }],
    principals: [dora.id],
  });
  const listener = await listenFor(dora, ["reaction"]);
  const after = await sendToChannel(carl, crypt, "secrets");

  for (const message of [before, after])
    await carl.do("POST", `/messages/${message}/reactions`, { emoji_name: "tada" });

  await listener.next("reaction");
  expect(listener.received).toEqual([
    {
      type: "reaction",
      op: "add",
      id,
      message_id: after,
      emoji_name: "tada",
      emoji_code: "1f389",
      reaction_type: "unicode_emoji",
      user_id: carl.id,
      user: { user_id: carl.id, email: carl.email, full_name: "Carl", is_mirror_dummy: false },
    },
  ]);
});

test("new users have an avatar URL unless the client computes gravatars", async () => {
  const [withoutGravatar, withGravatar] = await Promise.all([
    listenFor(ann, ["realm_user"], { client_gravatar: false }),
    listenFor(ann, ["realm_user"]),
  ]);

  const eve = await aPerson("Eve");

  const avatarOfEve = async (listener: typeof withGravatar) => {
    for (;;) {
      const event = await listener.next("realm_user");
      if (event.op === "add" && event.person.user_id === eve.id) return event.person.avatar_url;
    }
  };
  expect(await avatarOfEve(withoutGravatar)).toMatch(/^https:\/\/secure\.gravatar\.com\/avatar\//);
  expect(await avatarOfEve(withGravatar)).toBeNull();
});
