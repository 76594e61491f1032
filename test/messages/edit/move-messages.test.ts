import { expect, test } from "vitest";
import { roles } from "../../../shared/base/schema/roles.ts";
import { owners } from "../../../shared/base/schema/system-groups.ts";
import { followMessages } from "../../../shared/messaging/messages/flags/stars.ts";
import { findStars, placeStar, type Star, type StarPlace } from "../../../shared/store/messages/message-flags.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { eventsAfter, logEnd } from "../../support/log.ts";
import { fetchMessage, fetchTopic, sendToChannel } from "../../support/messages.ts";
import { backdateMessage } from "../../support/table/aging.ts";
import { eventually } from "../../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

const edit = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("PATCH", `/messages/${id}`, { send_notification_to_new_thread: false, ...params });
const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });
const ids = (messages: any[]) => messages.map(({ id }) => id);
const texts = (messages: any[]) => messages.map(({ content }) => content);

async function aTopic() {
  const [bottom, quince] = [await aPerson("Bottom"), await aPerson("Quince")];
  const wood = await aChannel("wood", [bottom, quince]);
  const sent: number[] = [];
  for (let n = 0; n < 4; n++) sent.push(await sendToChannel(n % 2 ? quince : bottom, wood, "Play", `line ${n}`));
  return { bottom, quince, wood, sent: sent as [number, number, number, number] };
}

test.each([
  ["change_one", [1]],
  ["change_later", [1, 2, 3]],
  ["change_all", [0, 1, 2, 3]],
])("propagate_mode %s moves exactly its messages to the new topic", async (propagate_mode, movedIndexes) => {
  const { bottom, wood, sent } = await aTopic();

  expect((await edit(bottom, sent[1], { topic: "Masque", propagate_mode })).status).toBe(200);

  expect(ids(await fetchTopic(bottom, wood, "Masque"))).toEqual(sent.filter((_, n) => movedIndexes.includes(n)));
  expect(ids(await fetchTopic(bottom, wood, "Play"))).toEqual(sent.filter((_, n) => !movedIndexes.includes(n)));
  const message = await fetchMessage(bottom, sent[1]);
  expect(message.edit_history).toEqual([
    { user_id: bottom.id, timestamp: message.last_moved_timestamp, prev_topic: "Play", topic: "Masque" },
  ]);
});

test("a move is logged as one event that lists all moved messages", async () => {
  const { bottom, wood, sent } = await aTopic();
  const end = await logEnd();

  await edit(bottom, sent[1], { topic: "Masque", propagate_mode: "change_later" });

  const [update, ...otherUpdates] = await eventsAfter(end, "update_message", ({ stream_id }) => stream_id === wood.id);
  expect(otherUpdates).toEqual([]);
  expect(update?.event).toEqual({
    type: "update_message",
    user_id: bottom.id,
    rendering_only: false,
    message_id: sent[1],
    message_ids: sent.slice(1),
    flags: [],
    edit_timestamp: expect.any(Number),
    stream_id: wood.id,
    stream_name: wood.name,
    propagate_mode: "change_later",
    orig_subject: "Play",
    subject: "Masque",
    topic_links: [],
  });
});

test("after a move to another channel, its subscribers can read the messages and others no longer can", async () => {
  const { bottom, quince, wood, sent } = await aTopic();
  const court = await aChannel("court", [bottom], { inviteOnly: true, historyPublicToSubscribers: true });
  const end = await logEnd();

  const reply = await edit(bottom, sent[0], { stream_id: court.id, propagate_mode: "change_all" });

  expect(reply.status).toBe(200);
  expect(ids(await fetchTopic(bottom, court, "Play"))).toEqual(sent);
  expect(await fetchTopic(bottom, wood, "Play")).toEqual([]);
  expect(await fetchMessage(quince, sent[0])).toBeUndefined();
  expect((await fetchMessage(bottom, sent[0], court)).edit_history).toMatchObject([
    { prev_stream: wood.id, stream: court.id },
  ]);
  const [updated] = await eventsAfter(end, "update_message", ({ new_stream_id }) => new_stream_id === court.id);
  expect(updated?.event).toMatchObject({ stream_id: wood.id, orig_subject: "Play", message_ids: sent });
  expect(updated?.event).not.toHaveProperty("subject");
  const [deletion] = await eventsAfter(end, "delete_message", ({ stream_id }) => stream_id === wood.id);
  expect(deletion).toEqual({
    // Members who were never subscribed may have starred the messages.
    audience: { kind: "roles", above: 0, upTo: roles.member, exceptIds: [bottom.id], userIds: [quince.id] },
    event: {
      type: "delete_message",
      message_ids: sent,
      message_type: "stream",
      stream_id: wood.id,
      topic: "Play",
    },
  });
});

test("a star is told again after its message was out of sight between two moves", async () => {
  const { bottom, quince, sent } = await aTopic();
  const [court, secret] = [
    await aChannel("court", [bottom, quince]),
    await aChannel("secret", [bottom], { inviteOnly: true }),
  ];
  await quince.do("POST", "/messages/flags", { messages: [sent[0]], op: "add", flag: "starred" });
  const starNow = async () => (await findStars(quince.id, [sent[0]]))[0] as Star;
  const before = await starNow();
  for (const { id } of [secret, court])
    await edit(bottom, sent[0], {
      stream_id: id,
      propagate_mode: "change_one",
      send_notification_to_old_thread: false,
    });
  await eventually(async () => (await starNow()).place?.channelId === court.id);
  // As if the first job came only now.
  await transact([placeStar(await starNow(), before.place as StarPlace)]);
  const end = await logEnd();

  await followMessages([sent[0]]);

  expect((await starNow()).place?.channelId).toBe(court.id);
  const told = await eventsAfter(end, "update_message_flags", ({ messages }) => messages?.includes(sent[0]));
  expect(told.map(({ event }) => event)).toMatchObject([{ op: "add", flag: "starred", messages: [sent[0]] }]);
});

test("both topics get a notice about where messages were moved", async () => {
  const { bottom, wood, sent } = await aTopic();
  const mention = `@_**Bottom|${bottom.id}**`;

  await edit(bottom, sent[3], {
    topic: "Masque",
    send_notification_to_old_thread: true,
    send_notification_to_new_thread: true,
  });
  await edit(bottom, sent[0], { topic: "Farce", propagate_mode: "change_all", send_notification_to_new_thread: true });

  expect(texts(await fetchTopic(bottom, wood, "Masque"))).toEqual([
    "line 3",
    `A message was moved here from #**${wood.name}>Play** by ${mention}.`,
  ]);
  expect(texts(await fetchTopic(bottom, wood, "Farce"))).toEqual([
    "line 0",
    "line 1",
    "line 2",
    `A message was moved from this topic to #**${wood.name}>Masque** by ${mention}.`,
    `This topic was moved here from #**${wood.name}>Play** by ${mention}.`,
  ]);
});

test("the move notice in a private channel links to the other topic", async () => {
  const bottom = await aPerson("Bottom");
  const wood = await aChannel("wood", [bottom], { inviteOnly: true });
  const id = await sendToChannel(bottom, wood, "Play", "line");

  await edit(bottom, id, { topic: "Masque", send_notification_to_new_thread: true });

  const narrow = [
    ["channel", wood.name],
    ["topic", "Masque"],
  ];
  const { body } = await bottom.call("GET", "/messages", { anchor: "newest", num_before: 1, num_after: 0, narrow });
  expect(body.messages.at(-1).content).toContain(`href="/#narrow/channel/${wood.id}-`);
});

test("resolving or unresolving a topic posts its own notice instead of a move notice", async () => {
  const { bottom, wood, sent } = await aTopic();

  await edit(bottom, sent[0], { topic: "✔ Play", propagate_mode: "change_all" });
  const resolved = await fetchTopic(bottom, wood, "✔ Play");
  await edit(bottom, sent[0], { topic: "Play", propagate_mode: "change_all" });
  const unresolved = await fetchTopic(bottom, wood, "Play");

  expect(resolved.at(-1)).toMatchObject({
    content: `@_**Bottom|${bottom.id}** has marked this topic as resolved.`,
    sender_full_name: "Notification Bot",
  });
  expect(unresolved.at(-1).content).toBe(`@_**Bottom|${bottom.id}** has marked this topic as unresolved.`);
  expect(unresolved[0]).not.toHaveProperty("last_moved_timestamp");
});

test("the empty topic cannot be resolved, by none of its names", async () => {
  const { bottom, wood } = await aTopic();
  const message = await sendToChannel(bottom, wood, "");
  for (const topic of ["✔", "✔ ", "✔ general chat", "✔ (no topic)"])
    expect(await bottom.call("PATCH", `/messages/${message}`, { topic, propagate_mode: "change_all" })).toMatchObject({
      status: 400,
      body: { msg: "General chat cannot be marked as resolved" },
    });
  expect((await bottom.do("GET", `/messages/${message}`, { allow_empty_topic_name: true })).message.subject).toBe("");
});

test("members can move messages within a week, moderators always, and resolving has no time limit", async () => {
  const { bottom, sent, wood } = await aTopic();
  const moderator = await aPerson("Theseus", { role: "moderator" });
  const weekSeconds = 604_800;
  for (const id of sent) await backdateMessage(id, weekSeconds + 30);

  expect(await edit(bottom, sent[0], { topic: "Masque" })).toMatchObject(
    refused("The time limit for editing this message's topic has passed."),
  );
  const recent = await sendToChannel(bottom, wood, "Play", "recent");
  expect(await edit(bottom, recent, { topic: "Masque", propagate_mode: "change_all" })).toMatchObject({
    status: 400,
    body: {
      code: "MOVE_MESSAGES_TIME_LIMIT_EXCEEDED",
      msg: "You only have permission to move the 1/5 most recent messages in this topic.",
      first_message_id_allowed_to_move: recent,
      total_messages_in_topic: 5,
      total_messages_allowed_to_move: 1,
    },
  });
  expect((await edit(bottom, sent[0], { topic: "✔ Play", propagate_mode: "change_all" })).status).toBe(200);
  expect((await edit(moderator, sent[0], { topic: "Masque", propagate_mode: "change_all" })).status).toBe(200);
});

test("a move to a channel that the caller cannot read or post to is refused", async () => {
  const { bottom, quince, sent } = await aTopic();
  const guest = await aPerson("Robin", { role: "guest" });
  const court = await aChannel("court", [quince], { inviteOnly: true });
  const silent = await aChannel("silent", [bottom], { permissions: { can_send_message_group: owners } });
  const garden = await aChannel("garden", [guest, bottom]);
  const guestsMessageId = await sendToChannel(guest, garden, "x");

  expect(await edit(bottom, sent[0], { stream_id: court.id })).toMatchObject(refused("Invalid channel ID"));
  expect(await edit(bottom, sent[0], { stream_id: 999_999 })).toMatchObject(refused("Invalid channel ID"));
  expect(await edit(bottom, sent[0], { stream_id: silent.id })).toMatchObject(
    refused("You do not have permission to post in this channel."),
  );
  const orchard = await aChannel("orchard", [guest]);
  expect(await edit(guest, guestsMessageId, { stream_id: orchard.id })).toMatchObject(
    refused("You don't have permission to move this message"),
  );
});

test("a move to the general chat is refused if the target channel's topics policy forbids it", async () => {
  const { bottom, sent } = await aTopic();
  const namedTopicsOnly = await aChannel("named", [bottom], { topicsPolicy: "disable_empty_topic" });

  expect(await edit(bottom, sent[0], { stream_id: namedTopicsOnly.id, topic: "" })).toMatchObject(
    refused("Sending messages to the general chat is not allowed in this channel."),
  );
});

/** The channel and topic to which each link of a message leads. */
const destinations = (html: string) =>
  [...html.matchAll(/href="[^"]*#narrow\/channel\/(\d+)[^"/]*\/topic\/([^"/]*)/g)].map(([, id, topic = ""]) => [
    Number(id),
    decodeURIComponent(topic.replaceAll(".", "%")),
  ]);

test("notices of moves and renames lead to the topics that they name, whatever these are called", async () => {
  const admin = await aPerson("Peter", { role: "administrator" });
  const name = "Quince [x](y) $$z$$ ~~w~~";
  await admin.do("PATCH", `/users/${admin.id}`, { full_name: name });
  const [source, target] = [await aChannel("star*chan", [admin]), await aChannel("a>b `c` **d", [admin])];
  const [from, to] = ["about **kwargs", "Fix `foo` crash"];
  const [first, second] = [await sendToChannel(admin, source, from), await sendToChannel(admin, source, from)];
  const notices = { send_notification_to_old_thread: true, send_notification_to_new_thread: true };
  const newest = async (channel: typeof source, topic: string) => {
    const [content] = (await fetchTopic(admin, channel, topic)).slice(-1).map(({ id }) => id);
    return (await admin.do("GET", `/messages/${content}`, { apply_markdown: true })).message.content as string;
  };

  await edit(admin, second, { stream_id: target.id, topic: to, propagate_mode: "change_one", ...notices });

  const [here, there] = [await newest(target, to), await newest(source, from)];
  expect([destinations(here), destinations(there)]).toEqual([[[source.id, from]], [[target.id, to]]]);
  expect(here).toContain(`data-user-id="${admin.id}"`);
  expect(here).toContain(name);
  await edit(admin, first, { topic: `✔ ${from}`, propagate_mode: "change_all" });
  expect(await newest(source, `✔ ${from}`)).toContain(`data-user-id="${admin.id}"`);
  const [before, after] = [source.name, `${target.name} \`e\` ~~f~~`];
  await admin.do("PATCH", `/streams/${source.id}`, { new_name: after });
  const renamed = (await newest(source, "channel events"))
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll("&gt;", ">")
    .replaceAll(/&#x([0-9a-f]+);/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)));
  expect(renamed).toContain(before);
  expect(renamed).toContain(after);
});
