import { expect, test } from "vitest";
import { listen } from "../../support/listener.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

/** Messages that a user can no longer see in a list of theirs count nowhere. */

type Channel = Awaited<ReturnType<typeof aChannel>>;

const send = async (sender: Person, channel: Channel, content = "wherefore art thou") =>
  (await sender.do("POST", "/messages", { type: "channel", to: channel.id, topic: "balcony", content })).id as number;

const page = { anchor: "newest", num_before: 100, num_after: 0 };
const narrowed = async (person: Person, ...operands: string[]) =>
  (
    await person.do("GET", "/messages", {
      ...page,
      narrow: operands.map((operand) => ({ operator: "is", operand })),
    })
  ).messages.map(({ id }: { id: number }) => id);

/** All that a reader's clients count, and the flags of a message. */
async function counted(person: Person, id: number) {
  const { unread_msgs } = await person.do("POST", "/register", { event_types: ["message", "update_message_flags"] });
  const found = await person.call("GET", `/messages/${id}`);
  return {
    count: unread_msgs.count,
    streams: unread_msgs.streams.flatMap(({ unread_message_ids }: any) => unread_message_ids),
    mentions: unread_msgs.mentions,
    unread: await narrowed(person, "unread"),
    unreadMentions: await narrowed(person, "unread", "mentioned"),
    isRead: found.body.message.flags.includes("read"),
  };
}
const nothing = { count: 0, streams: [], mentions: [], unread: [], unreadMentions: [], isRead: true };
const only = (id: number) => ({
  count: 1,
  streams: [id],
  mentions: [id],
  unread: [id],
  unreadMentions: [id],
  isRead: false,
});

/** Ends of what a subscriber sees of a channel, and its beginnings. */
const ends: { name: string; end(actors: Actors): Promise<unknown>; begin(actors: Actors): Promise<unknown> }[] = [
  {
    name: "who leaves",
    end: ({ juliet, channel }) => juliet.do("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name] }),
    begin: ({ juliet, channel }) =>
      juliet.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: channel.name }] }),
  },
  {
    name: "who changes subscriptions",
    end: ({ juliet, channel }) => juliet.do("PATCH", "/users/me/subscriptions", { delete: [channel.name] }),
    begin: ({ juliet, channel }) => juliet.do("PATCH", "/users/me/subscriptions", { add: [{ name: channel.name }] }),
  },
  {
    name: "who is removed",
    end: ({ juliet, admin, channel }) =>
      admin.do("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name], principals: [juliet.id] }),
    begin: ({ juliet, admin, channel }) =>
      admin.do("POST", "/users/me/subscriptions", {
        subscriptions: [{ name: channel.name }],
        principals: [juliet.id],
      }),
  },
  {
    name: "of an archived channel",
    end: ({ admin, channel }) => admin.do("DELETE", `/streams/${channel.id}`),
    begin: ({ admin, channel }) => admin.do("PATCH", `/streams/${channel.id}`, { is_archived: false }),
  },
];

interface Actors {
  juliet: Person;
  admin: Person;
  channel: Channel;
}

test.each(ends)("nothing of the channel is unread for a subscriber $name, then or later", async ({ end, begin }) => {
  const [juliet, romeo, admin] = await Promise.all([
    aPerson("Juliet"),
    aPerson("Romeo"),
    aPerson("Escalus", { role: "administrator" }),
  ]);
  const channel = await aChannel("verona", [juliet, romeo, admin]);
  const id = await send(romeo, channel, `@**${juliet.name}|${juliet.id}**`);
  expect(await counted(juliet, id)).toEqual(only(id));
  const listener = await listen(juliet, { event_types: ["update_message_flags"] });
  const actors = { juliet, admin, channel };

  await end(actors);

  expect(await counted(juliet, id)).toEqual(nothing);
  expect(await listener.next("update_message_flags")).toMatchObject({ op: "add", flag: "read" });
  expect(listener.received.flatMap(({ messages }) => messages)).toContain(id);
  await begin(actors);
  const { streams, isRead, mentions } = await counted(juliet, id);
  expect({ isRead, mentions }).toEqual({ isRead: true, mentions: [] });
  expect(streams).not.toContain(id);
  const next = await send(romeo, channel);
  expect((await counted(juliet, next)).streams).toContain(next);
});

test("messages of channels that one has left or that are archived cannot be marked as unread", async () => {
  const [juliet, romeo, admin] = await Promise.all([
    aPerson("Juliet"),
    aPerson("Romeo"),
    aPerson("Escalus", { role: "administrator" }),
  ]);
  const [left, archived] = await Promise.all([
    aChannel("verona", [juliet, romeo]),
    aChannel("mantua", [juliet, romeo]),
  ]);
  const messages = [await send(romeo, left), await send(romeo, archived)];
  await juliet.do("DELETE", "/users/me/subscriptions", { subscriptions: [left.name] });
  await admin.do("DELETE", `/streams/${archived.id}`);

  const reply = await juliet.do("POST", "/messages/flags", { messages, op: "remove", flag: "read" });

  expect(reply.messages).toEqual([]);
  expect(reply.ignored_because_not_subscribed_channels).toEqual([left.id, archived.id].sort((a, b) => a - b));
});

test("removing many people from a channel marks it as read for each of them", async () => {
  const admin = await aPerson("Escalus", { role: "administrator" });
  const guests = await Promise.all(Array.from({ length: 12 }, (_, index) => aPerson(`Guest ${index}`)));
  const channel = await aChannel("feast", [admin, ...guests]);
  const id = await send(admin, channel);
  const listeners = await Promise.all(guests.slice(0, 2).map((guest) => listen(guest)));

  await admin.do("DELETE", "/users/me/subscriptions", {
    subscriptions: [channel.name],
    principals: guests.map((guest) => guest.id),
  });

  for (const listener of listeners)
    expect(await listener.next("update_message_flags")).toMatchObject({ op: "add", flag: "read", messages: [id] });
  const names = { subscriptions: [{ name: channel.name }], principals: guests.map((guest) => guest.id) };
  await admin.do("POST", "/users/me/subscriptions", names);
  await eventually(async () => {
    const all = await Promise.all(guests.map((guest) => narrowed(guest, "unread")));
    return all.every((ids) => !ids.includes(id));
  });
});

test("a reactivated user finds what they had not read", async () => {
  const [juliet, romeo, admin] = await Promise.all([
    aPerson("Juliet"),
    aPerson("Romeo"),
    aPerson("Escalus", { role: "administrator" }),
  ]);
  const channel = await aChannel("verona", [juliet, romeo]);
  const id = await send(romeo, channel);

  await admin.do("DELETE", `/users/${juliet.id}`);
  await admin.do("POST", `/users/${juliet.id}/reactivate`);

  await eventually(async () => (await narrowed(juliet, "unread")).includes(id));
});

test("a message from before one's subscription that one marks as unread counts until one leaves", async () => {
  const [juliet, romeo] = await Promise.all([aPerson("Juliet"), aPerson("Romeo")]);
  const channel = await aChannel("verona", [romeo]);
  const id = await send(romeo, channel);
  await juliet.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: channel.name }] });
  expect((await counted(juliet, id)).streams).toEqual([]);

  await juliet.do("POST", "/messages/flags", { messages: [id], op: "remove", flag: "read" });

  expect(await counted(juliet, id)).toMatchObject({ count: 1, streams: [id], unread: [id], isRead: false });
  await juliet.do("DELETE", "/users/me/subscriptions", { subscriptions: [channel.name] });
  await juliet.do("POST", "/users/me/subscriptions", { subscriptions: [{ name: channel.name }] });
  expect(await counted(juliet, id)).toEqual(nothing);
});

test("a message that moves between channels is read where the reader has no unread messages, with events", async () => {
  const [juliet, romeo] = await Promise.all([aPerson("Juliet"), aPerson("Romeo", { role: "administrator" })]);
  const [verona, mantua] = await Promise.all([aChannel("verona", [juliet, romeo]), aChannel("mantua", [romeo])]);
  const id = await send(romeo, verona, `@**${juliet.name}|${juliet.id}**`);
  const listener = await listen(juliet, { event_types: ["update_message_flags"] });
  const move = ({ id: stream_id }: Channel) =>
    romeo.do("PATCH", `/messages/${id}`, { stream_id, send_notification_to_new_thread: false });

  await move(mantua);

  expect(await counted(juliet, id)).toEqual(nothing);
  expect(await listener.next("update_message_flags")).toMatchObject({ op: "add", flag: "read", messages: [id] });
  await move(verona);
  expect(await counted(juliet, id)).toEqual(only(id));
  expect(await listener.next("update_message_flags")).toMatchObject({
    op: "remove",
    flag: "read",
    messages: [id],
    message_details: { [id]: { type: "stream", stream_id: verona.id, topic: "balcony", mentioned: true } },
  });
});
