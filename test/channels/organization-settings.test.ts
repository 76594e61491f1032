import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyone, members, moderators, nobody } from "../../shared/base/schema/system-groups.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { unique } from "../support/unique.ts";

/** The effects of the organization's settings on channels; each case changes them while it runs. */

const ownerEmail = "owner@globe.test";
const violaEmail = "viola@globe.test";
const otherEmail = "nobody@globe.test";
let session: OrganizationSession;

const changeSettings = async (settings: Record<string, unknown>) => {
  const reply = await session.as(ownerEmail, "PATCH", "/realm", settings);
  expect(reply).toMatchObject({ status: 200, result: "success" });
};
const create = (callerEmail: string, params: Record<string, unknown> = {}) =>
  session.as(callerEmail, "POST", "/channels/create", { name: unique("wood"), subscribers: [], ...params });
const recordOf = async (id: number) => (await session.as(ownerEmail, "GET", `/streams/${id}`)).stream;
const messagesIn = async (id: number) => {
  const narrow = JSON.stringify([{ operator: "channel", operand: id }]);
  const params = { anchor: "newest", num_before: 5, num_after: 0, apply_markdown: false, narrow };
  return (await session.as(ownerEmail, "GET", "/messages", params)).messages;
};

describe("the organization's settings for channels", () => {
  beforeAll(async () => {
    session = await openOrganization();
  }, 60_000);
  afterAll(() => session?.restoreSettings());

  test("a new public channel is announced in the organization's announcement channel on request", async () => {
    const news = await create(ownerEmail, { name: unique("news") });
    await changeSettings({ new_stream_announcements_stream_id: news.id });

    const [announcedChannel, , privateChannel] = [
      await create(violaEmail, { announce: true }),
      await create(violaEmail),
      await create(violaEmail, { announce: true, invite_only: true }),
    ];

    const announced = (await messagesIn(news.id)).filter(({ subject }: any) => subject === "new channels");
    expect(announced).toHaveLength(1);
    expect(announced[0]).toMatchObject({ sender_full_name: "Notification Bot" });
    expect(announced[0].content).toContain(`created a new channel #**${(await recordOf(announcedChannel.id)).name}**.`);
    const { message } = await session.as(ownerEmail, "GET", `/messages/${announced[0].id}`);
    expect(message.content).toContain(
      `created a new channel <a class="stream" data-stream-id="${announcedChannel.id}"`,
    );
    expect(privateChannel.status).toBe(200);
    const [first] = await messagesIn(announcedChannel.id);
    expect(first).toMatchObject({ subject: "channel events" });
    expect(first.content).toContain("**Public** channel created by");
    expect(first.content).toContain("*No description.*");
    const subscribed = await session.as(violaEmail, "POST", "/users/me/subscriptions", {
      subscriptions: [{ name: unique("fresh") }],
      announce: true,
    });
    expect(subscribed.status).toBe(200);
    expect((await messagesIn(news.id)).filter(({ subject }: any) => subject === "new channels")).toHaveLength(2);
  });

  test("archiving the announcement channel unsets the setting and sends an event", async () => {
    const [news, otherNews] = [
      await create(ownerEmail, { name: unique("old news") }),
      await create(ownerEmail, { name: unique("other news") }),
    ];
    await changeSettings({
      new_stream_announcements_stream_id: news.id,
      signup_announcements_stream_id: news.id,
      moderation_request_channel_id: otherNews.id,
    });
    const { queue_id } = await session.as(ownerEmail, "POST", "/register", { event_types: ["realm"] });

    expect((await session.as(ownerEmail, "DELETE", `/streams/${news.id}`)).status).toBe(200);

    const { events } = await session.as(ownerEmail, "GET", "/events", {
      queue_id,
      last_event_id: -1,
      dont_block: true,
    });
    const data = { new_stream_announcements_stream_id: -1, signup_announcements_stream_id: -1 };
    expect(events).toEqual([{ type: "realm", op: "update_dict", property: "default", id: expect.any(Number), data }]);
    expect(await session.as(ownerEmail, "POST", "/register", { event_types: ["realm"] })).toMatchObject({
      realm_new_stream_announcements_stream_id: -1,
      realm_signup_announcements_stream_id: -1,
      realm_moderation_request_channel_id: otherNews.id,
    });
    expect((await create(violaEmail, { announce: true })).status).toBe(200);
    await changeSettings({ moderation_request_channel_id: -1 });
  });

  test("the organization's permissions decide who may create which kind of channel", async () => {
    await changeSettings({ can_create_public_channel_group: { new: moderators } });
    expect((await create(violaEmail)).msg).toBe("Insufficient permission");
    expect((await create(violaEmail, { invite_only: true })).status).toBe(200);
    await changeSettings({ can_create_private_channel_group: { new: moderators } });
    const privateChannel = await create(violaEmail, { invite_only: true });
    expect([privateChannel.status, privateChannel.msg]).toEqual([400, "Insufficient permission"]);
    const subscribing = await session.as(violaEmail, "POST", "/users/me/subscriptions", {
      subscriptions: [{ name: "own" }],
    });
    expect(subscribing.msg).toBe("Insufficient permission");
    await changeSettings({
      can_create_public_channel_group: { new: members },
      can_create_private_channel_group: { new: members },
    });
  });

  test("web-public channels need the spectator setting and a permission of their own", async () => {
    expect((await create(ownerEmail, { is_web_public: true })).msg).toBe("Web-public channels are not enabled.");
    await changeSettings({ enable_spectator_access: true });
    expect((await create(violaEmail, { is_web_public: true })).msg).toBe("Insufficient permission");
    const { id } = await create(ownerEmail, { is_web_public: true });
    expect(await recordOf(id)).toMatchObject({ is_web_public: true, history_public_to_subscribers: true });
    const open = await create(ownerEmail);
    expect((await session.as(ownerEmail, "PATCH", `/streams/${open.id}`, { is_web_public: true })).status).toBe(200);
    expect(await recordOf(open.id)).toMatchObject({ is_web_public: true, invite_only: false });
    const publicAndPrivate = await session.as(ownerEmail, "PATCH", `/streams/${open.id}`, {
      is_web_public: true,
      is_private: true,
    });
    expect(publicAndPrivate.msg).toBe("Invalid parameters");
    expect((await session.as(ownerEmail, "PATCH", `/streams/${open.id}`, { is_private: true })).status).toBe(200);
    expect(await recordOf(open.id)).toMatchObject({ is_web_public: false, invite_only: true });
    await changeSettings({ enable_spectator_access: false });
  });

  test("topic and deletion policies can only be set with permission", async () => {
    await changeSettings({
      can_set_topics_policy_group: { new: moderators },
      can_set_delete_message_policy_group: { new: members },
    });
    expect((await create(violaEmail, { topics_policy: "allow_empty_topic" })).msg).toBe("Insufficient permission");
    expect((await create(violaEmail, { can_delete_any_message_group: members })).status).toBe(200);
    const own = await create(violaEmail);
    const refused = await session.as(violaEmail, "PATCH", `/streams/${own.id}`, {
      topics_policy: "disable_empty_topic",
    });
    expect(refused.msg).toBe("Insufficient permission");
    await changeSettings({ can_set_topics_policy_group: { new: everyone } });
    expect(
      (await session.as(violaEmail, "PATCH", `/streams/${own.id}`, { topics_policy: "disable_empty_topic" })).status,
    ).toBe(200);
    await changeSettings({
      can_set_topics_policy_group: { new: members },
      can_set_delete_message_policy_group: { new: moderators },
    });
  });

  test("each topics policy, inherited or not, decides which topics may be posted to", async () => {
    const post = async (id: number, topic: string) =>
      (await session.as(ownerEmail, "POST", "/messages", { type: "channel", to: id, topic, content: "x" })).status;
    const posts = async (topics_policy: string) => {
      const { id } = await create(ownerEmail, { topics_policy });
      return [await post(id, "named"), await post(id, "")];
    };

    expect(await posts("allow_empty_topic")).toEqual([200, 200]);
    expect(await posts("disable_empty_topic")).toEqual([200, 400]);
    expect(await posts("empty_topic_only")).toEqual([400, 200]);
    expect(await posts("inherit")).toEqual([200, 200]);
    await changeSettings({ topics_policy: "disable_empty_topic" });
    expect(await posts("inherit")).toEqual([200, 400]);
    await changeSettings({ topics_policy: "allow_empty_topic" });
  });

  test("adding others needs the permission of the organization or of the channel", async () => {
    const { user_id } = await session.as(otherEmail, "GET", "/users/me");
    const add = (callerEmail: string, name: string, params: Record<string, unknown> = {}) =>
      session.as(callerEmail, "POST", "/users/me/subscriptions", {
        subscriptions: [{ name }],
        principals: [user_id],
        ...params,
      });
    const ownersChannelName = (await recordOf((await create(ownerEmail)).id)).name;
    await changeSettings({ can_add_subscribers_group: { new: nobody } });

    expect((await add(violaEmail, ownersChannelName)).msg).toBe("Insufficient permission");
    expect(await add(violaEmail, ownersChannelName, { authorization_errors_fatal: false })).toMatchObject({
      unauthorized: [ownersChannelName],
    });
    const newChannelName = unique("made for them");
    const own = await create(violaEmail, { subscribers: [user_id] });
    expect(own.status).toBe(200);
    expect((await add(violaEmail, newChannelName, { can_administer_channel_group: nobody })).msg).toBe(
      "Insufficient permission",
    );
    expect((await add(violaEmail, newChannelName)).status).toBe(200);
    await changeSettings({ can_add_subscribers_group: { new: members } });
    expect((await add(violaEmail, ownersChannelName)).status).toBe(200);
  });

  test("a group that an organization setting uses cannot be deactivated", async () => {
    const { group_id } = await session.as(ownerEmail, "POST", "/user_groups/create", {
      name: unique("used"),
      description: "",
      members: [],
    });
    await changeSettings({ can_create_bots_group: { new: group_id } });
    const refused = await session.as(ownerEmail, "POST", `/user_groups/${group_id}/deactivate`);
    expect(refused.objections).toEqual([{ type: "realm", settings: ["can_create_bots_group"] }]);
    await changeSettings({ can_create_bots_group: { new: members } });
    expect((await session.as(ownerEmail, "POST", `/user_groups/${group_id}/deactivate`)).status).toBe(200);
  });

  test("clients without support for deactivated groups receive remove and add events", async () => {
    const { group_id } = await session.as(ownerEmail, "POST", "/user_groups/create", {
      name: unique("seen"),
      description: "",
      members: [],
    });
    const { queue_id } = await session.as(violaEmail, "POST", "/register", { event_types: ["user_group"] });

    await session.do(ownerEmail, "POST", `/user_groups/${group_id}/deactivate`);
    await session.do(ownerEmail, "PATCH", `/user_groups/${group_id}`, { deactivated: false });

    const { events } = await session.as(violaEmail, "GET", "/events", {
      queue_id,
      last_event_id: -1,
      dont_block: true,
    });
    expect(events.map(({ id: _, ...event }: any) => event)).toEqual([
      { type: "user_group", op: "remove", group_id },
      { type: "user_group", op: "add", group: expect.objectContaining({ id: group_id, deactivated: false }) },
    ]);
  });
});
