import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyone, members, moderators, nobody } from "../../shared/schema/system-groups.ts";
import { type OrganizationSession, openOrganization } from "../support/organization-session.ts";
import { unique } from "../support/unique.ts";

/** The effects of the organization's settings on channels; each case changes them while it runs. */

const owner = "owner@globe.test";
const viola = "viola@globe.test";
const other = "nobody@globe.test";
let host: OrganizationSession;

const set = async (settings: Record<string, unknown>) => {
  const reply = await host.as(owner, "PATCH", "/realm", settings);
  expect(reply).toMatchObject({ status: 200, result: "success" });
};
const create = (who: string, params: Record<string, unknown> = {}) =>
  host.as(who, "POST", "/channels/create", { name: unique("wood"), subscribers: [], ...params });
const recordOf = async (id: number) => (await host.as(owner, "GET", `/streams/${id}`)).stream;
const messagesIn = async (id: number) => {
  const narrow = JSON.stringify([{ operator: "channel", operand: id }]);
  const params = { anchor: "newest", num_before: 5, num_after: 0, apply_markdown: false, narrow };
  return (await host.as(owner, "GET", "/messages", params)).messages;
};

describe("as the organization has set them", () => {
  beforeAll(async () => {
    host = await openOrganization();
  }, 60_000);
  afterAll(() => host?.restoreSettings());

  test("a new public channel is announced in the organization's announcement channel on request", async () => {
    const news = await create(owner, { name: unique("news") });
    await set({ new_stream_announcements_stream_id: news.id });

    const [announcedChannel, , hidden] = [
      await create(viola, { announce: true }),
      await create(viola),
      await create(viola, { announce: true, invite_only: true }),
    ];

    const announced = (await messagesIn(news.id)).filter(({ subject }: any) => subject === "new channels");
    expect(announced).toHaveLength(1);
    expect(announced[0]).toMatchObject({ sender_full_name: "Notification Bot" });
    expect(announced[0].content).toContain(`created a new channel #**${(await recordOf(announcedChannel.id)).name}**.`);
    const { message } = await host.as(owner, "GET", `/messages/${announced[0].id}`);
    expect(message.content).toContain(
      `created a new channel <a class="stream" data-stream-id="${announcedChannel.id}"`,
    );
    expect(hidden.status).toBe(200);
    const [first] = await messagesIn(announcedChannel.id);
    expect(first).toMatchObject({ subject: "channel events" });
    expect(first.content).toContain("**Public** channel created by");
    expect(first.content).toContain("*No description.*");
    const both = await host.as(viola, "POST", "/users/me/subscriptions", {
      subscriptions: [{ name: unique("fresh") }],
      announce: true,
    });
    expect(both.status).toBe(200);
    expect((await messagesIn(news.id)).filter(({ subject }: any) => subject === "new channels")).toHaveLength(2);
  });

  test("archiving the announcement channel unsets the setting and sends an event", async () => {
    const [news, other] = [
      await create(owner, { name: unique("old news") }),
      await create(owner, { name: unique("other news") }),
    ];
    await set({
      new_stream_announcements_stream_id: news.id,
      signup_announcements_stream_id: news.id,
      moderation_request_channel_id: other.id,
    });
    const { queue_id } = await host.as(owner, "POST", "/register", { event_types: ["realm"] });

    expect((await host.as(owner, "DELETE", `/streams/${news.id}`)).status).toBe(200);

    const { events } = await host.as(owner, "GET", "/events", { queue_id, last_event_id: -1, dont_block: true });
    const data = { new_stream_announcements_stream_id: -1, signup_announcements_stream_id: -1 };
    expect(events).toEqual([{ type: "realm", op: "update_dict", property: "default", id: expect.any(Number), data }]);
    expect(await host.as(owner, "POST", "/register", { event_types: ["realm"] })).toMatchObject({
      realm_new_stream_announcements_stream_id: -1,
      realm_signup_announcements_stream_id: -1,
      realm_moderation_request_channel_id: other.id,
    });
    expect((await create(viola, { announce: true })).status).toBe(200);
    await set({ moderation_request_channel_id: -1 });
  });

  test("the organization's permissions decide who may create which kind of channel", async () => {
    await set({ can_create_public_channel_group: { new: moderators } });
    expect((await create(viola)).msg).toBe("Insufficient permission");
    expect((await create(viola, { invite_only: true })).status).toBe(200);
    await set({ can_create_private_channel_group: { new: moderators } });
    const closed = await create(viola, { invite_only: true });
    expect([closed.status, closed.msg]).toEqual([400, "Insufficient permission"]);
    const subscribing = await host.as(viola, "POST", "/users/me/subscriptions", { subscriptions: [{ name: "own" }] });
    expect(subscribing.msg).toBe("Insufficient permission");
    await set({
      can_create_public_channel_group: { new: members },
      can_create_private_channel_group: { new: members },
    });
  });

  test("web-public channels need the spectator setting and a permission of their own", async () => {
    expect((await create(owner, { is_web_public: true })).msg).toBe("Web-public channels are not enabled.");
    await set({ enable_spectator_access: true });
    expect((await create(viola, { is_web_public: true })).msg).toBe("Insufficient permission");
    const { id } = await create(owner, { is_web_public: true });
    expect(await recordOf(id)).toMatchObject({ is_web_public: true, history_public_to_subscribers: true });
    const open = await create(owner);
    expect((await host.as(owner, "PATCH", `/streams/${open.id}`, { is_web_public: true })).status).toBe(200);
    expect(await recordOf(open.id)).toMatchObject({ is_web_public: true, invite_only: false });
    const both = await host.as(owner, "PATCH", `/streams/${open.id}`, { is_web_public: true, is_private: true });
    expect(both.msg).toBe("Invalid parameters");
    expect((await host.as(owner, "PATCH", `/streams/${open.id}`, { is_private: true })).status).toBe(200);
    expect(await recordOf(open.id)).toMatchObject({ is_web_public: false, invite_only: true });
    await set({ enable_spectator_access: false });
  });

  test("topic and deletion policies can only be set with permission", async () => {
    await set({
      can_set_topics_policy_group: { new: moderators },
      can_set_delete_message_policy_group: { new: members },
    });
    expect((await create(viola, { topics_policy: "allow_empty_topic" })).msg).toBe("Insufficient permission");
    expect((await create(viola, { can_delete_any_message_group: members })).status).toBe(200);
    const own = await create(viola);
    const refused = await host.as(viola, "PATCH", `/streams/${own.id}`, { topics_policy: "disable_empty_topic" });
    expect(refused.msg).toBe("Insufficient permission");
    await set({ can_set_topics_policy_group: { new: everyone } });
    expect((await host.as(viola, "PATCH", `/streams/${own.id}`, { topics_policy: "disable_empty_topic" })).status).toBe(
      200,
    );
    await set({
      can_set_topics_policy_group: { new: members },
      can_set_delete_message_policy_group: { new: moderators },
    });
  });

  test("each topics policy, inherited or not, decides which topics may be posted to", async () => {
    const post = async (id: number, topic: string) =>
      (await host.as(owner, "POST", "/messages", { type: "channel", to: id, topic, content: "x" })).status;
    const posts = async (topics_policy: string) => {
      const { id } = await create(owner, { topics_policy });
      return [await post(id, "named"), await post(id, "")];
    };

    expect(await posts("allow_empty_topic")).toEqual([200, 200]);
    expect(await posts("disable_empty_topic")).toEqual([200, 400]);
    expect(await posts("empty_topic_only")).toEqual([400, 200]);
    expect(await posts("inherit")).toEqual([200, 200]);
    await set({ topics_policy: "disable_empty_topic" });
    expect(await posts("inherit")).toEqual([200, 400]);
    await set({ topics_policy: "allow_empty_topic" });
  });

  test("adding others needs the permission of the organization or of the channel", async () => {
    const { user_id } = await host.as(other, "GET", "/users/me");
    const add = (who: string, name: string, params: Record<string, unknown> = {}) =>
      host.as(who, "POST", "/users/me/subscriptions", { subscriptions: [{ name }], principals: [user_id], ...params });
    const theirs = (await recordOf((await create(owner)).id)).name;
    await set({ can_add_subscribers_group: { new: nobody } });

    expect((await add(viola, theirs)).msg).toBe("Insufficient permission");
    expect(await add(viola, theirs, { authorization_errors_fatal: false })).toMatchObject({ unauthorized: [theirs] });
    const gift = unique("made for them");
    const own = await create(viola, { subscribers: [user_id] });
    expect(own.status).toBe(200);
    expect((await add(viola, gift, { can_administer_channel_group: nobody })).msg).toBe("Insufficient permission");
    expect((await add(viola, gift)).status).toBe(200);
    await set({ can_add_subscribers_group: { new: members } });
    expect((await add(viola, theirs)).status).toBe(200);
  });

  test("a group that an organization setting uses cannot be deactivated", async () => {
    const { group_id } = await host.as(owner, "POST", "/user_groups/create", {
      name: unique("used"),
      description: "",
      members: [],
    });
    await set({ can_create_bots_group: { new: group_id } });
    const refused = await host.as(owner, "POST", `/user_groups/${group_id}/deactivate`);
    expect(refused.objections).toEqual([{ type: "realm", settings: ["can_create_bots_group"] }]);
    await set({ can_create_bots_group: { new: members } });
    expect((await host.as(owner, "POST", `/user_groups/${group_id}/deactivate`)).status).toBe(200);
  });

  test("clients without support for deactivated groups receive remove and add events", async () => {
    const { group_id } = await host.as(owner, "POST", "/user_groups/create", {
      name: unique("seen"),
      description: "",
      members: [],
    });
    const { queue_id } = await host.as(viola, "POST", "/register", { event_types: ["user_group"] });

    await host.do(owner, "POST", `/user_groups/${group_id}/deactivate`);
    await host.do(owner, "PATCH", `/user_groups/${group_id}`, { deactivated: false });

    const { events } = await host.as(viola, "GET", "/events", { queue_id, last_event_id: -1, dont_block: true });
    expect(events.map(({ id: _, ...event }: any) => event)).toEqual([
      { type: "user_group", op: "remove", group_id },
      { type: "user_group", op: "add", group: expect.objectContaining({ id: group_id, deactivated: false }) },
    ]);
  });
});
