import { expect, test } from "vitest";
import { userTopicState } from "../../shared/core/user-topics/state.ts";
import { eventsAfter, logEnd } from "../support/log.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

/** Sets a topic's visibility policy: 0 none, 1 muted, 2 unmuted, 3 followed. */
const setPolicy = (person: Person, stream_id: number, topic: string, visibility_policy: number) =>
  person.call("POST", "/user_topics", { stream_id, topic, visibility_policy });
const policiesOf = async (person: Person) => (await userTopicState(person as never)).user_topics;
const refused = (msg: string) => ({ status: 400, body: { code: "BAD_REQUEST", msg } });

test("a topic can be muted, followed and reset, ignoring case", async () => {
  const bottom = await aPerson("Bottom");
  const wood = await aChannel("wood", [bottom]);
  const record = { stream_id: wood.id, last_updated: expect.any(Number) };

  expect((await setPolicy(bottom, wood.id, "Ears", 1)).body).toEqual({ result: "success", msg: "" });
  expect(await policiesOf(bottom)).toEqual([{ ...record, topic_name: "Ears", visibility_policy: 1 }]);
  await setPolicy(bottom, wood.id, "ears", 3);
  expect(await policiesOf(bottom)).toEqual([{ ...record, topic_name: "ears", visibility_policy: 3 }]);
  await setPolicy(bottom, wood.id, "EARS", 0);
  expect(await policiesOf(bottom)).toEqual([]);
});

test("each change causes events, and a request without effect none", async () => {
  const bottom = await aPerson("Bottom");
  const wood = await aChannel("wood", [bottom]);
  const end = await logEnd();

  await setPolicy(bottom, wood.id, "ears", 0);
  await setPolicy(bottom, wood.id, "ears", 1);
  await setPolicy(bottom, wood.id, "ears", 1);
  await setPolicy(bottom, wood.id, "ears", 2);

  const policyEvents = await eventsAfter(end, "user_topic", ({ stream_id }) => stream_id === wood.id);
  expect(policyEvents).toEqual(
    [1, 2].map((visibility_policy) => ({
      audience: { kind: "users", userIds: [bottom.id] },
      event: {
        type: "user_topic",
        stream_id: wood.id,
        topic_name: "ears",
        last_updated: expect.any(Number),
        visibility_policy,
      },
    })),
  );
  const mutedTopicsEvents = (await eventsAfter(end, "muted_topics", () => true)).filter(
    ({ audience }) => audience.kind === "users" && audience.userIds[0] === bottom.id,
  );
  expect(mutedTopicsEvents.map(({ event }) => event.muted_topics)).toEqual([
    [[wood.name, "ears", expect.any(Number)]],
    [],
  ]);
});

test("older clients can mute and unmute a topic by the channel's name or ID", async () => {
  const bottom = await aPerson("Bottom");
  const wood = await aChannel("wood", [bottom]);
  const path = "/users/me/subscriptions/muted_topics";

  expect((await bottom.call("PATCH", path, { stream: wood.name, topic: "ears", op: "add" })).status).toBe(200);
  expect((await bottom.do("POST", "/register", { event_types: ["muted_topics"] })).muted_topics).toEqual([
    [wood.name, "ears", expect.any(Number)],
  ]);
  expect((await bottom.call("PATCH", path, { stream_id: wood.id, topic: "ears", op: "remove" })).status).toBe(200);
  expect(await policiesOf(bottom)).toEqual([]);
  expect(await bottom.call("PATCH", path, { stream_id: wood.id, topic: "ears", op: "remove" })).toMatchObject(
    refused("Topic is not muted"),
  );
  expect(await bottom.call("PATCH", path, { topic: "ears", op: "add" })).toMatchObject(
    refused("Please supply 'stream' or 'stream_id'."),
  );
});

test("a topic of an unreadable or unknown channel is refused, and so is an invalid policy", async () => {
  const [bottom, titania] = [await aPerson("Bottom"), await aPerson("Titania")];
  const bower = await aChannel("bower", [titania], { inviteOnly: true });

  expect(await setPolicy(bottom, bower.id, "x", 1)).toMatchObject(refused("Invalid channel ID"));
  expect(await setPolicy(bottom, 999_999, "x", 1)).toMatchObject(refused("Invalid channel ID"));
  expect(await setPolicy(bottom, bower.id, "x", 4)).toMatchObject(refused("Invalid visibility_policy"));
});
