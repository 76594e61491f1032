import { expect, test } from "vitest";
import { userTopicState } from "../../../shared/core/user-topics/state.ts";
import { listen } from "../../support/listener.ts";
import { aChannel, aPerson, costTest, type Person } from "../../support/world.ts";

/**
 * The visibility policies are 1 for muted, 2 for unmuted and 3 for followed topics. The settings apply to 1 participation,
 * 2 sending, 3 starting a topic, or 4 nothing.
 */
const send = async (person: Person, to: number, topic: string) =>
  (await person.call("POST", "/messages", { type: "channel", to, topic, content: "text" })).body;
const visibilityPolicies = async (person: Person) =>
  (await userTopicState(person as never)).user_topics.map(({ topic_name, visibility_policy }) => [
    topic_name,
    visibility_policy,
  ]);

test("the first sender of a topic follows it, and nobody else does", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const forest = await aChannel("forest", [rosalind, celia]);

  const first = await send(rosalind, forest.id, "verses");
  const second = await send(celia, forest.id, "verses");
  const third = await send(rosalind, forest.id, "verses");

  expect(first).toEqual({ result: "success", msg: "", id: first.id, automatic_new_visibility_policy: 3 });
  expect(second).toEqual({ result: "success", msg: "", id: second.id });
  expect(third).not.toHaveProperty("automatic_new_visibility_policy");
  expect(await visibilityPolicies(rosalind)).toEqual([["verses", 3]]);
  expect(await visibilityPolicies(celia)).toEqual([]);
});

test("only the sender receives the visibility event, together with the message", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const forest = await aChannel("forest", [rosalind, celia]);
  const about = ({ stream_id, message }: any) => (stream_id ?? message?.stream_id) === forest.id;
  const types = (event_types: string[]) => ({ event_types });
  const [sendersListener, topicListener, othersListener] = await Promise.all([
    listen(rosalind, types(["message", "user_topic"]), about),
    listen(rosalind, types(["user_topic"]), about),
    listen(celia, types(["message", "user_topic"]), about),
  ]);

  const { id } = await send(rosalind, forest.id, "verses");

  const policy = {
    type: "user_topic",
    id: expect.any(Number),
    stream_id: forest.id,
    topic_name: "verses",
    last_updated: expect.any(Number),
    visibility_policy: 3,
  };
  expect(await topicListener.next("user_topic")).toEqual(policy);
  expect((await sendersListener.next("message")).message.id).toBe(id);
  expect(await sendersListener.next("user_topic")).toEqual(policy);
  await send(rosalind, forest.id, "verses");
  await othersListener.next("message");
  await othersListener.next("message");
  expect(
    [...sendersListener.received, ...topicListener.received].filter(({ type }) => type === "user_topic"),
  ).toHaveLength(2);
  expect(othersListener.received.map(({ type }) => type)).toEqual(["message", "message"]);
});

costTest("a message whose sender follows the new topic costs at most 7 read and 12 write units", async () => {
  const rosalind = await aPerson("Rosalind");
  const forest = await aChannel("forest", [rosalind]);

  const params = {
    type: "channel",
    to: forest.id,
    topic: "verses",
    content: "From the east to western Ind. ".repeat(10),
  };
  const { body, cost } = await rosalind.call("POST", "/messages", params);

  expect(body.automatic_new_visibility_policy).toBe(3);
  expect(cost.writeUnits).toBeLessThanOrEqual(12);
  // Recently written items need strongly consistent reads: the channel, its counters, the settings.
  expect(cost.readUnits).toBeLessThanOrEqual(7);
});

test("sending to a muted topic unmutes it if the user's setting says so", async () => {
  const rosalind = await aPerson("Rosalind");
  const forest = await aChannel("forest", [rosalind]);
  await rosalind.do("PATCH", "/settings", { automatically_follow_topics_policy: 2 });
  const mutedTopic = { stream_id: forest.id, topic: "verses", visibility_policy: 1 };
  await rosalind.do("POST", "/user_topics", mutedTopic);

  await rosalind.do("POST", "/user_topics", { ...mutedTopic, topic: "love-songs" });
  const [currentClient, legacyClient] = [
    await listen(rosalind, { event_types: ["user_topic"] }),
    await listen(rosalind, { event_types: ["muted_topics"] }),
  ];

  expect(await send(rosalind, forest.id, "Verses")).toMatchObject({ automatic_new_visibility_policy: 3 });

  expect(await visibilityPolicies(rosalind)).toEqual([
    ["love-songs", 1],
    ["Verses", 3],
  ]);
  expect(await currentClient.next("user_topic")).toMatchObject({ topic_name: "Verses", visibility_policy: 3 });
  const { muted_topics } = await legacyClient.next("muted_topics");
  expect(muted_topics).toEqual([[forest.name, "love-songs", expect.any(Number)]]);
});

test("sending to a topic of a muted channel unmutes the topic", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const forest = await aChannel("forest", [rosalind, celia]);
  const subscription_data = [{ stream_id: forest.id, property: "is_muted", value: true }];
  await rosalind.do("POST", "/users/me/subscriptions/properties", { subscription_data });
  await send(celia, forest.id, "verses");

  expect(await send(rosalind, forest.id, "verses")).toMatchObject({ automatic_new_visibility_policy: 2 });
  expect(await visibilityPolicies(rosalind)).toEqual([["verses", 2]]);
});

test("a sender follows no topic if the setting says never, and every topic once if it says so for sending", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const forest = await aChannel("forest", [rosalind, celia]);
  const never = {
    automatically_follow_topics_policy: 4,
    automatically_unmute_topics_in_muted_streams_policy: 4,
  };
  await rosalind.do("PATCH", "/settings", never);
  await celia.do("PATCH", "/settings", { automatically_follow_topics_policy: 2 });

  expect(await send(rosalind, forest.id, "verses")).not.toHaveProperty("automatic_new_visibility_policy");
  expect(await send(celia, forest.id, "verses")).toMatchObject({ automatic_new_visibility_policy: 3 });
  expect(await send(celia, forest.id, "verses")).not.toHaveProperty("automatic_new_visibility_policy");
});

test("a reaction or a vote follows the topic if the setting counts participation", async () => {
  const [rosalind, celia] = [await aPerson("Rosalind"), await aPerson("Celia")];
  const forest = await aChannel("forest", [rosalind, celia]);
  await celia.do("PATCH", "/settings", { automatically_follow_topics_policy: 1 });
  const { id } = await send(rosalind, forest.id, "verses");
  const to = { type: "channel", to: forest.id, topic: "votes", content: "/poll Who?" };
  const poll = (await rosalind.call("POST", "/messages", to)).body.id;

  await celia.do("POST", `/messages/${id}/reactions`, { emoji_name: "heart" });
  const vote = { message_id: poll, msg_type: "widget", content: '{"type":"new_option","idx":0,"option":"me"}' };
  expect((await celia.call("POST", "/submessage", vote)).status).toBe(200);

  expect(await visibilityPolicies(celia)).toEqual([
    ["verses", 3],
    ["votes", 3],
  ]);
});
