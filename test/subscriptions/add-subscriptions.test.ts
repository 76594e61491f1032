import { expect, test } from "vitest";
import { administrators, members, nobody } from "../../shared/base/schema/system-groups.ts";
import { findChannelWithStats } from "../../shared/store/channels/channels.ts";
import { about, recordLog } from "../support/channel-log.ts";
import { noticesTo } from "../support/messages.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, costTest, type Person } from "../support/world.ts";

const path = "/users/me/subscriptions";
const add = (person: Person, names: string[], params: Record<string, unknown> = {}) =>
  person.call("POST", path, { subscriptions: names.map((name) => ({ name })), ...params });
const subscriberIdsOf = async (person: Person, id: number): Promise<number[]> =>
  (await person.call("GET", `/streams/${id}/members`)).body.subscribers;
const idOf = async (person: Person, stream: string): Promise<number> =>
  (await person.call("GET", "/get_stream_id", { stream })).body.stream_id;
const countOf = async (id: number) => (await findChannelWithStats(id))?.stats.subscriberCount;

test("a member subscribes to a public channel, and a second request has no effect", async () => {
  const ophelia = await aPerson("Ophelia");
  const court = await aChannel("court", []);

  const first = await add(ophelia, [`  ${court.name.toUpperCase()} `]);
  const second = await add(ophelia, [court.name]);

  expect(first.body).toEqual({
    result: "success",
    msg: "",
    subscribed: { [ophelia.id]: [court.name] },
    already_subscribed: {},
    new_subscription_messages_sent: true,
  });
  expect(second.body).toMatchObject({ subscribed: {}, already_subscribed: { [ophelia.id]: [court.name] } });
  expect(await subscriberIdsOf(ophelia, court.id)).toEqual([ophelia.id]);
  expect(await countOf(court.id)).toBe(1);
});

test("the new subscriber gets the whole subscription as an event, and others who can see the channel get a peer_add event", async () => {
  const [ophelia, gertrude, guest] = [
    await aPerson("Ophelia"),
    await aPerson("Gertrude"),
    await aPerson("Osric", { role: "guest" }),
  ];
  const court = await aChannel("court", []);
  const log = await recordLog();

  await add(ophelia, [court.name]);

  const types = ["subscription", "stream"];
  expect(about(court.id, await log.eventsFor(ophelia, types, { includeSubscribers: true }))).toEqual([
    {
      type: "subscription",
      op: "add",
      subscriptions: [expect.objectContaining({ stream_id: court.id, is_muted: false, subscribers: [ophelia.id] })],
    },
  ]);
  expect(about(court.id, await log.eventsFor(gertrude, types))).toEqual([
    { type: "subscription", op: "peer_add", stream_ids: [court.id], user_ids: [ophelia.id] },
  ]);
  expect(about(court.id, await log.eventsFor(guest, types))).toEqual([]);
});

test("a person added to a private channel first gets the channel's event, and outsiders get none", async () => {
  const [ophelia, gertrude, outsider, admin] = [
    await aPerson("Ophelia"),
    await aPerson("Gertrude"),
    await aPerson("Osric"),
    await aPerson("Claudius", { role: "administrator" }),
  ];
  const closet = await aChannel("closet", [gertrude], { inviteOnly: true });
  const log = await recordLog();

  const reply = await add(gertrude, [closet.name], { principals: [ophelia.id] });

  expect(reply.status).toBe(200);
  const types = ["subscription", "stream"];
  expect(about(closet.id, await log.eventsFor(ophelia, types)).map(({ type, op }) => `${type} ${op}`)).toEqual([
    "stream create",
    "subscription add",
  ]);
  expect(about(closet.id, await log.eventsFor(gertrude, types)).map(({ op }) => op)).toEqual(["peer_add"]);
  expect(about(closet.id, await log.eventsFor(admin, types)).map(({ op }) => op)).toEqual(["peer_add"]);
  expect(about(closet.id, await log.eventsFor(outsider, types))).toEqual([]);
});

test("a nonexistent channel is created with the requested settings and a first message, and an existing one is not changed", async () => {
  const [hamlet, horatio] = [await aPerson("Hamlet"), await aPerson("Horatio")];
  const existing = await aChannel("stage", [hamlet]);
  const name = unique("battlements");

  const reply = await hamlet.call("POST", path, {
    subscriptions: [
      { name, description: "Who's\nthere?", color: "#aabbcc" },
      { name: existing.name, description: "other" },
    ],
    principals: [hamlet.email, horatio.email],
    invite_only: true,
    history_public_to_subscribers: true,
    topics_policy: "disable_empty_topic",
    can_send_message_group: { direct_members: [hamlet.id], direct_subgroups: [] },
    can_resolve_topics_group: members,
  });

  expect(reply.body.subscribed).toEqual({
    [hamlet.id]: [name],
    [horatio.id]: expect.arrayContaining([name, existing.name]),
  });
  const { body } = await hamlet.call("GET", `/streams/${await idOf(hamlet, name)}`);
  expect(body.stream).toMatchObject({
    name,
    description: "Who's there?",
    rendered_description: "<p>Who's there?</p>",
    creator_id: hamlet.id,
    invite_only: true,
    history_public_to_subscribers: true,
    topics_policy: "disable_empty_topic",
    can_send_message_group: { direct_members: [hamlet.id], direct_subgroups: [] },
    can_resolve_topics_group: members,
    can_add_subscribers_group: nobody,
    can_remove_subscribers_group: administrators,
    can_administer_channel_group: { direct_members: [hamlet.id], direct_subgroups: [] },
    subscriber_count: 2,
    first_message_id: expect.any(Number),
  });
  const unchanged = await hamlet.call("GET", `/streams/${existing.id}`);
  expect(unchanged.body.stream).toMatchObject({ description: "", invite_only: false });
  const narrow = [{ operator: "channel", operand: body.stream.stream_id }];
  const history = await horatio.call("GET", "/messages", { anchor: "newest", num_before: 5, num_after: 0, narrow });
  expect(history.body.messages).toHaveLength(1);
  expect(history.body.messages[0]).toMatchObject({
    id: body.stream.first_message_id,
    subject: "channel events",
    sender_full_name: "Notification Bot",
  });
});

test("a channel that a request lists twice is created once, with the first spelling", async () => {
  const hamlet = await aPerson("Hamlet");
  const name = unique("Ramparts");

  const reply = await hamlet.call("POST", path, {
    subscriptions: [{ name, description: "above", color: "#aabbcc" }, { name: ` ${name.toUpperCase()} ` }],
  });

  expect(reply.body.subscribed).toEqual({ [hamlet.id]: [name] });
  const { subscriptions } = (await hamlet.call("GET", path)).body;
  expect(subscriptions).toEqual([expect.objectContaining({ name, description: "above", color: "#aabbcc" })]);
});

test("principals subscribed by someone else get a direct message unless send_new_subscription_messages is false", async () => {
  const [hamlet, horatio, laertes] = [await aPerson("Hamlet"), await aPerson("Horatio"), await aPerson("Laertes")];
  const [one, two, three] = [await aChannel("one", []), await aChannel("two", []), await aChannel("three", [])];

  const withMessages = await add(hamlet, [one.name, two.name], { principals: [horatio.id, hamlet.id] });
  const withoutMessages = await add(hamlet, [three.name], {
    principals: [laertes.id],
    send_new_subscription_messages: false,
  });

  expect(await noticesTo(horatio, 1)).toEqual([
    `@_**Hamlet|${hamlet.id}** subscribed you to the following channels:\n\n* #**${one.name}**\n* #**${two.name}**`,
  ]);
  const newest = { anchor: "newest", num_before: 5, num_after: 0 };
  expect(withMessages.body.new_subscription_messages_sent).toBe(true);
  expect(withoutMessages.body.new_subscription_messages_sent).toBeUndefined();
  expect((await laertes.call("GET", "/messages", newest)).body.messages).toEqual([]);
});

test("the direct message about a subscription links to a private channel", async () => {
  const [hamlet, horatio] = [await aPerson("Hamlet"), await aPerson("Horatio")];
  const closet = await aChannel("closet", [hamlet], { inviteOnly: true });

  await add(hamlet, [closet.name], { principals: [horatio.id] });

  await noticesTo(horatio, 1);
  const newest = { anchor: "newest", num_before: 1, num_after: 0, narrow: [{ operator: "is", operand: "dm" }] };
  const [notice] = (await horatio.call("GET", "/messages", newest)).body.messages;
  expect(notice.content).toContain(`subscribed you to the channel <a class="stream" data-stream-id="${closet.id}"`);
});

test("members of can_add_subscribers_group can add others to a private channel without being subscribed", async () => {
  const [hamlet, horatio] = [await aPerson("Hamlet"), await aPerson("Horatio")];
  const permission = { direct_members: [hamlet.id], direct_subgroups: [] };
  const closet = await aChannel("closet", [], {
    inviteOnly: true,
    permissions: { can_add_subscribers_group: permission },
  });

  const added = await add(hamlet, [closet.name], { principals: [horatio.id] });

  expect(added.body.subscribed).toEqual({ [horatio.id]: [closet.name] });
});

test("an owner may create a default channel with unlimited retention", async () => {
  const owner = await aPerson("Claudius", { role: "owner" });
  const name = unique("denmark");

  await add(owner, [name], { is_default_stream: true, message_retention_days: "unlimited" });

  const { body } = await owner.call("GET", `/streams/${await idOf(owner, name)}`);
  expect(body.stream).toMatchObject({ message_retention_days: -1 });
  await owner.do("DELETE", "/default_streams", { stream_id: body.stream.stream_id });
});

test("concurrent and repeated subscriptions count each subscriber once", async () => {
  const people = await Promise.all(Array.from({ length: 12 }, (_, index) => aPerson(`Player ${index}`)));
  const stage = await aChannel("stage", []);

  const replies = await Promise.all(people.flatMap((person) => [add(person, [stage.name]), add(person, [stage.name])]));

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  expect(await countOf(stage.id)).toBe(12);
  expect((await subscriberIdsOf(people[0] as Person, stage.id)).length).toBe(12);
});

costTest("subscribing oneself costs at most 8 write and 9 read units", async () => {
  const ophelia = await aPerson("Ophelia");
  const court = await aChannel("court", []);

  const { cost } = await add(ophelia, [court.name]);

  expect(cost.writeUnits).toBeLessThanOrEqual(8);
  expect(cost.readUnits).toBeLessThanOrEqual(9);
});
