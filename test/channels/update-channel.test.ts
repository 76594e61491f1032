import { expect, test } from "vitest";
import { administrators, everyone, members, moderators } from "../../shared/base/schema/system-groups.ts";
import { about, recordLog } from "../support/channel-log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const channelOf = async (person: Person, id: number) => (await person.call("GET", `/streams/${id}`)).body.stream;
const adminAndMember = async () =>
  [await aPerson("Oberon", { role: "administrator" }), await aPerson("Puck")] as [Person, Person];
const newest = { anchor: "newest", num_before: 10, num_after: 0, apply_markdown: false };
const noticesIn = async (reader: Person, id: number): Promise<string[]> => {
  const narrow = [{ operator: "channel", operand: id }];
  const { body } = await reader.call("GET", "/messages", { ...newest, narrow });
  return body.messages.map(({ content }: { content: string }) => content);
};

test("each property can be changed, with an event for those who can see the channel", async () => {
  const [owner, puck] = [await aPerson("Titania", { role: "owner" }), await aPerson("Puck")];
  const wood = await aChannel("wood", [puck]);
  const log = await recordLog();

  const changed = await owner.call("PATCH", `/streams/${wood.id}`, {
    new_name: `${wood.name}!`,
    description: "Near *Athens*",
    message_retention_days: "unlimited",
    topics_policy: '"disable_empty_topic"',
    can_send_message_group: { new: moderators, old: everyone },
    can_resolve_topics_group: { new: { direct_members: [puck.id], direct_subgroups: [] } },
  });

  expect(changed.body).toEqual({ result: "success", msg: "" });
  expect(await channelOf(puck, wood.id)).toMatchObject({
    name: `${wood.name}!`,
    description: "Near *Athens*",
    message_retention_days: -1,
    topics_policy: "disable_empty_topic",
    can_send_message_group: moderators,
    can_resolve_topics_group: { direct_members: [puck.id], direct_subgroups: [] },
    stream_post_policy: 4,
  });
  const event = { type: "stream", op: "update", stream_id: wood.id, name: wood.name };
  expect(about(wood.id, await log.eventsFor(puck, ["stream"]))).toEqual([
    { ...event, property: "name", value: `${wood.name}!` },
    {
      ...event,
      property: "description",
      value: "Near *Athens*",
      rendered_description: "<p>Near <em>Athens</em></p>",
    },
    { ...event, property: "message_retention_days", value: -1 },
    { ...event, property: "topics_policy", value: "disable_empty_topic" },
    { ...event, property: "can_send_message_group", value: moderators },
    {
      ...event,
      property: "can_resolve_topics_group",
      value: { direct_members: [puck.id], direct_subgroups: [] },
    },
    { ...event, property: "stream_post_policy", value: 4 },
    { ...event, property: "is_announcement_only", value: false },
  ]);
  const notices = await noticesIn(puck, wood.id);
  expect(notices).toHaveLength(1);
  expect(notices[0]).toContain(`renamed channel **${wood.name}** to **${wood.name}!**.`);
});

test("a description can neither end its quote in the notice nor extend it", async () => {
  const [admin, puck] = await adminAndMember();
  const wood = await aChannel("wood", [puck]);
  const hostile = "`````\n# Not quoted\n```";

  await admin.do("PATCH", `/streams/${wood.id}`, { description: hostile });
  await admin.do("PATCH", `/streams/${wood.id}`, { description: "Tame" });

  const narrow = [{ operator: "channel", operand: wood.id }];
  const { messages } = await puck.do("GET", "/messages", { ...newest, narrow, apply_markdown: true });
  const outsideQuotes = messages[1].content.replaceAll(/<blockquote>.*?<\/blockquote>/gs, "");
  expect(outsideQuotes).not.toContain("Not quoted");
  expect(outsideQuotes).toContain("<strong>New description:</strong>");
  expect(messages[1].content).toMatch(/<blockquote>\s*<p>Tame<\/p>\s*<\/blockquote>/);
});

test("a name can be changed in case only, a new name frees the old one, and another channel's name is refused", async () => {
  const [admin] = await adminAndMember();
  const [wood, lake] = [await aChannel("wood", []), await aChannel("lake", [])];
  const rename = (new_name: string) => admin.call("PATCH", `/streams/${wood.id}`, { new_name });

  expect((await rename(wood.name)).body.msg).toBe("Channel already has that name.");
  expect(await rename(lake.name.toUpperCase())).toMatchObject({
    status: 409,
    body: { code: "CHANNEL_ALREADY_EXISTS" },
  });
  expect((await rename(wood.name.toUpperCase())).status).toBe(200);
  expect((await rename(`${wood.name} 2`)).status).toBe(200);

  const recreated = await admin.call("POST", "/channels/create", { name: wood.name, subscribers: [] });
  expect(recreated.status).toBe(200);
  const found = await admin.call("GET", "/get_stream_id", { stream: `${wood.name} 2` });
  expect(found.body.stream_id).toBe(wood.id);
});

test("only channel administrators can change a channel, and for others a hidden channel does not exist", async () => {
  const [admin, puck] = await adminAndMember();
  const holder = await aPerson("Bottom");
  const permissions = { can_administer_channel_group: { direct_members: [holder.id], direct_subgroups: [] } };
  const wood = await aChannel("wood", [puck], { permissions });
  const closet = await aChannel("closet", [], { inviteOnly: true });
  const setDescription = (person: Person, id: number) => person.call("PATCH", `/streams/${id}`, { description: "x" });

  expect((await setDescription(puck, wood.id)).body.msg).toBe("You do not have permission to administer this channel.");
  expect((await setDescription(puck, closet.id)).body.msg).toBe("Invalid channel ID");
  expect((await setDescription(puck, 99_999_999)).body.msg).toBe("Invalid channel ID");
  expect((await setDescription(holder, wood.id)).status).toBe(200);
  expect((await setDescription(admin, closet.id)).status).toBe(200);
});

test("settings that need more than channel administration are refused", async () => {
  const [admin, puck] = await adminAndMember();
  const closet = await aChannel("closet", [], { inviteOnly: true });
  const own = await puck.call("POST", "/channels/create", {
    name: `own ${puck.id} ${closet.id}`,
    subscribers: [puck.id],
  });
  const messageOf = async (person: Person, id: number, params: Record<string, unknown>) =>
    (await person.call("PATCH", `/streams/${id}`, params)).body.msg;

  expect(await messageOf(admin, closet.id, { is_private: false })).toBe("Channel content access is required.");
  expect(await messageOf(admin, closet.id, { can_subscribe_group: { new: members } })).toBe(
    "Channel content access is required.",
  );
  expect(await messageOf(admin, closet.id, { message_retention_days: 3 })).toBe("Must be an organization owner");
  expect(await messageOf(admin, closet.id, { is_default_stream: true })).toBe("A default channel cannot be private.");
  expect(await messageOf(admin, closet.id, { folder_id: 99_999 })).toBe("Invalid channel folder ID");
  expect(await messageOf(puck, own.body.id, { is_default_stream: true })).toBe("Must be an organization administrator");
  expect(await messageOf(puck, own.body.id, { is_web_public: true })).toBe("Web-public channels are not enabled.");
  expect(await messageOf(puck, own.body.id, { can_delete_any_message_group: { new: members } })).toBe(
    "Insufficient permission",
  );
  expect(await messageOf(puck, own.body.id, { can_add_subscribers_group: { new: everyone } })).toContain(
    "role:everyone",
  );
  expect(await messageOf(puck, own.body.id, {})).toBe("");
});

test("making a channel private removes it for non-subscribers, and making it public restores it", async () => {
  const [admin, puck] = await adminAndMember();
  const outsider = await aPerson("Bottom");
  const wood = await aChannel("wood", [puck, admin]);
  const log = await recordLog();

  await admin.do("PATCH", `/streams/${wood.id}`, { is_private: true });

  expect(about(wood.id, await log.eventsFor(outsider, ["stream"]))).toEqual([
    { type: "stream", op: "delete", stream_ids: [wood.id], streams: [{ stream_id: wood.id }] },
  ]);
  expect(about(wood.id, await log.eventsFor(puck, ["stream"]))).toEqual([
    {
      type: "stream",
      op: "update",
      stream_id: wood.id,
      name: wood.name,
      property: "invite_only",
      value: true,
      history_public_to_subscribers: false,
      is_web_public: false,
    },
  ]);
  expect((await outsider.call("GET", `/streams/${wood.id}`)).body.msg).toBe("Invalid channel ID");

  const laterLog = await recordLog();
  await admin.do("PATCH", `/streams/${wood.id}`, { is_private: false });

  expect(about(wood.id, await laterLog.eventsFor(outsider, ["stream"])).map(({ op }) => op)).toEqual(["create"]);
  expect(await channelOf(outsider, wood.id)).toMatchObject({ invite_only: false, history_public_to_subscribers: true });
});

test("of two concurrent changes with an expected old value one is refused, and without one neither is lost", async () => {
  const [one, two] = [await aPerson("One", { role: "administrator" }), await aPerson("Two", { role: "administrator" })];
  const wood = await aChannel("wood", []);
  const path = `/streams/${wood.id}`;

  const withOld = await Promise.all([
    one.call("PATCH", path, { can_remove_subscribers_group: { new: moderators, old: administrators } }),
    two.call("PATCH", path, { can_remove_subscribers_group: { new: members, old: administrators } }),
  ]);
  const withoutOld = await Promise.all([
    one.call("PATCH", path, { can_resolve_topics_group: { new: moderators } }),
    two.call("PATCH", path, { can_move_messages_out_of_channel_group: { new: members } }),
    one.call("PATCH", path, { description: "lost and found" }),
  ]);

  expect(withOld.map(({ status }) => status).sort()).toEqual([200, 400]);
  expect(withOld.find(({ status }) => status === 400)?.body).toEqual({
    result: "error",
    msg: "'old' value does not match the expected value.",
    code: "EXPECTATION_MISMATCH",
  });
  expect(withoutOld.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(await channelOf(one, wood.id)).toMatchObject({
    can_resolve_topics_group: moderators,
    can_move_messages_out_of_channel_group: members,
    description: "lost and found",
  });
});

test('the policy "only the empty topic" is refused if the channel has other topics', async () => {
  const [admin, puck] = await adminAndMember();
  const [wood, lake] = [await aChannel("wood", [puck]), await aChannel("lake", [puck])];
  await puck.do("POST", "/messages", { type: "channel", to: wood.id, topic: "asses", content: "x" });
  await puck.do("POST", "/messages", { type: "channel", to: lake.id, topic: "", content: "x" });
  const allowOnlyEmptyTopic = (id: number) =>
    admin.call("PATCH", `/streams/${id}`, { topics_policy: "empty_topic_only" });

  expect((await allowOnlyEmptyTopic(wood.id)).body.msg).toContain(
    "all messages in this channel must be in the general chat topic",
  );
  expect((await allowOnlyEmptyTopic(lake.id)).status).toBe(200);
  const sentToTopic = await puck.call("POST", "/messages", { type: "channel", to: lake.id, topic: "t", content: "x" });
  expect(sentToTopic.status).toBe(400);
});
