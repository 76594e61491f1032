import { expect, test } from "vitest";
import { administrators, members, moderators, nobody } from "../../shared/base/schema/system-groups.ts";
import { about, recordLog } from "../support/channel-log.ts";
import { unique } from "../support/unique.ts";
import { aChannel, aPerson, call, costTest, type Person } from "../support/world.ts";

const create = (person: Person, params: Record<string, unknown> = {}) =>
  person.call("POST", "/channels/create", { name: unique("wood"), subscribers: [person.id], ...params });
const channelOf = async (person: Person, id: number) => (await person.call("GET", `/streams/${id}`)).body.stream;

test("a channel is created with all settings of the request", async () => {
  const [owner, puck] = [await aPerson("Titania", { role: "owner" }), await aPerson("Puck")];
  const name = unique("wood");
  const permission = { direct_members: [puck.id], direct_subgroups: [moderators] };

  const created = await create(owner, {
    name: `  ${name} `,
    description: "A **wood**\nnear Athens",
    subscribers: [puck.id, puck.id],
    invite_only: true,
    topics_policy: "allow_empty_topic",
    history_public_to_subscribers: true,
    message_retention_days: 30,
    can_add_subscribers_group: members,
    can_delete_any_message_group: moderators,
    can_delete_own_message_group: members,
    can_remove_subscribers_group: permission,
    can_administer_channel_group: nobody,
    can_move_messages_out_of_channel_group: administrators,
    can_move_messages_within_channel_group: members,
    can_send_message_group: administrators,
    can_subscribe_group: moderators,
    can_resolve_topics_group: members,
  });

  expect(created.body).toEqual({ result: "success", msg: "", id: expect.any(Number) });
  expect(await channelOf(puck, created.body.id)).toEqual({
    stream_id: created.body.id,
    name,
    description: "A **wood** near Athens",
    rendered_description: "<p>A <strong>wood</strong> near Athens</p>",
    date_created: expect.any(Number),
    creator_id: owner.id,
    invite_only: true,
    is_web_public: false,
    history_public_to_subscribers: true,
    message_retention_days: 30,
    first_message_id: expect.any(Number),
    folder_id: null,
    topics_policy: "allow_empty_topic",
    is_recently_active: true,
    is_archived: false,
    is_announcement_only: true,
    stream_post_policy: 2,
    stream_weekly_traffic: null,
    subscriber_count: 1,
    can_add_subscribers_group: members,
    can_delete_any_message_group: moderators,
    can_delete_own_message_group: members,
    can_remove_subscribers_group: permission,
    can_administer_channel_group: nobody,
    can_move_messages_out_of_channel_group: administrators,
    can_move_messages_within_channel_group: members,
    can_send_message_group: administrators,
    can_subscribe_group: moderators,
    can_resolve_topics_group: members,
  });
});

test("parameters that are absent get their defaults", async () => {
  const puck = await aPerson("Puck");

  const [publicChannel, privateChannel] = [
    await create(puck, { subscribers: [] }),
    await create(puck, { invite_only: true }),
  ];

  expect(await channelOf(puck, publicChannel.body.id)).toMatchObject({
    description: "",
    rendered_description: "",
    invite_only: false,
    history_public_to_subscribers: true,
    message_retention_days: null,
    topics_policy: "inherit",
    subscriber_count: 0,
    can_administer_channel_group: { direct_members: [puck.id], direct_subgroups: [] },
    can_add_subscribers_group: nobody,
    can_remove_subscribers_group: administrators,
  });
  expect(await channelOf(puck, privateChannel.body.id)).toMatchObject({
    invite_only: true,
    history_public_to_subscribers: false,
    subscriber_count: 1,
  });
});

test("a name that another channel has, ignoring case, is refused", async () => {
  const puck = await aPerson("Puck");
  const wood = await aChannel("Wood", [puck]);

  const duplicate = await create(puck, { name: wood.name.toUpperCase() });

  expect(duplicate).toMatchObject({ status: 409 });
  expect(duplicate.body).toEqual({
    result: "error",
    msg: `Channel '${wood.name.toUpperCase()}' already exists`,
    code: "CHANNEL_ALREADY_EXISTS",
  });
});

test("of concurrent creations of one name, one succeeds and the others get an error", async () => {
  const [puck, bottom] = [await aPerson("Puck"), await aPerson("Bottom")];
  const name = unique("race");

  const replies = await Promise.all(
    [puck, bottom, puck, bottom].map((person, index) =>
      create(person, { name: index % 2 === 0 ? name : name.toUpperCase() }),
    ),
  );

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const { body } = await puck.call("GET", "/get_stream_id", { stream: name });
  expect(body.stream_id).toBe(replies.find(({ status }) => status === 200)?.body.id);
});

test("a public channel is announced to everyone who can see it, a private one only to its subscribers", async () => {
  const [puck, bottom, admin] = [
    await aPerson("Puck"),
    await aPerson("Bottom"),
    await aPerson("Oberon", { role: "administrator" }),
  ];
  const log = await recordLog();

  const publicChannel = await create(puck);
  const privateChannel = await create(puck, { invite_only: true });

  const types = ["stream", "subscription"];
  const [publicId, privateId] = [publicChannel.body.id, privateChannel.body.id];
  expect(about(publicId, await log.eventsFor(bottom, types)).map(({ op }) => op)).toEqual(["create", "peer_add"]);
  expect(about(publicId, await log.eventsFor(bottom, types))[0]).toEqual({
    type: "stream",
    op: "create",
    // The subscribers follow as `peer_add`.
    streams: [{ ...(await channelOf(bottom, publicId)), subscriber_count: 0 }],
  });
  expect(about(privateId, await log.eventsFor(bottom, types))).toEqual([]);
  expect(about(privateId, await log.eventsFor(admin, types)).map(({ op }) => op)).toEqual(["create", "peer_add"]);
  const creatorEvents = about(privateId, await log.eventsFor(puck, types)).map(({ type, op }) => `${type} ${op}`);
  expect(creatorEvents[0]).toBe("stream create");
  expect(creatorEvents.at(-1)).toBe("subscription add");
});

test("a request without permission or with unknown IDs creates nothing", async () => {
  const [puck, guest] = [await aPerson("Puck"), await aPerson("Snug", { role: "guest" })];
  const messageOf = async (params: Record<string, unknown>, person = puck) => (await create(person, params)).body.msg;

  expect(await messageOf({}, guest)).toBe("Not allowed for guest users");
  expect(await messageOf({ name: "" })).toBe("Channel name can't be empty.");
  expect(await messageOf({ name: "x".repeat(61) })).toBe("Channel name too long (limit: 60 characters).");
  expect(await messageOf({ subscribers: [999_999_999] })).toBe("No such user");
  expect(await messageOf({ is_default_stream: true })).toBe("Insufficient permission");
  expect(await messageOf({ message_retention_days: "unlimited" })).toBe("Must be an organization owner");
  expect(await messageOf({ message_retention_days: 0 })).toBe("Bad value for 'message_retention_days': 0");
  expect(await messageOf({ is_web_public: true })).toBe("Web-public channels are not enabled.");
  expect(await messageOf({ is_web_public: true, invite_only: true })).toBe("Invalid parameters");
  expect(await messageOf({ folder_id: 99_999 })).toBe("Invalid channel folder ID");
  expect(await messageOf({ topics_policy: "x" })).toBe("Invalid topics_policy");
  expect(await messageOf({ can_send_message_group: 8 })).toContain("cannot be set to 'role:internet' group.");
  expect(await messageOf({ can_send_message_group: 999_999 })).toBe("Invalid user group ID: 999999");
  expect((await call("POST", "/channels/create", { name: "x", subscribers: [] })).status).toBe(401);
  const withoutSubscribers = await puck.call("POST", "/channels/create", { name: "x" });
  expect(withoutSubscribers.body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING", var_name: "subscribers" });
});

costTest("creating a channel for oneself costs at most 36 write units", async () => {
  const puck = await aPerson("Puck");

  const { cost } = await create(puck);

  expect(cost.writeUnits).toBeLessThanOrEqual(36);
});
