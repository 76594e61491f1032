import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, costTest, type Person, partitionEndReadUnits } from "../support/world.ts";

const react = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("POST", `/messages/${id}/reactions`, params);

const smile = { emoji_name: "smile", emoji_code: "1f604", reaction_type: "unicode_emoji" };
const invalid = { status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } };

test("a reaction by name gets its code and type, and is returned with the message", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const wood = await aChannel("wood", [oberon, puck]);
  const id = await sendToChannel(oberon, wood, "flowers");

  expect(await react(puck, id, { emoji_name: "smile" })).toMatchObject({
    status: 200,
    body: { result: "success", msg: "" },
  });

  expect((await fetchMessage(oberon, id)).reactions).toEqual([{ ...smile, user_id: puck.id }]);
});

test("reactions are ordered by the emoji's first use, then by user ID", async () => {
  const people = [await aPerson("Oberon"), await aPerson("Puck"), await aPerson("Titania")] as const;
  const [oberon, puck, titania] = people;
  const id = await sendDirect(oberon, people);

  await react(titania, id, { emoji_name: "tada" });
  await react(puck, id, { emoji_name: "heart" });
  await react(oberon, id, { emoji_name: "tada" });

  const { reactions } = await fetchMessage(puck, id);
  expect(reactions.map((each: any) => [each.emoji_name, each.user_id])).toEqual([
    ["tada", oberon.id],
    ["tada", titania.id],
    ["heart", puck.id],
  ]);
});

test("later reactions with an emoji get the name of the first one", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const id = await sendDirect(oberon, [puck]);
  await react(oberon, id, { emoji_name: "thumbs_up", emoji_code: "1f44d", reaction_type: "unicode_emoji" });

  const reply = await react(puck, id, { emoji_name: "+1", emoji_code: "1f44d", reaction_type: "unicode_emoji" });

  expect(reply.status).toBe(200);
  expect((await fetchMessage(puck, id)).reactions.map((each: any) => each.emoji_name)).toEqual([
    "thumbs_up",
    "thumbs_up",
  ]);
});

test("an emoji with the type zulip_extra_emoji is the same as with service_extra_emoji", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const id = await sendDirect(oberon, [puck]);
  const zulip = { emoji_name: "zulip", emoji_code: "zulip" };

  await react(oberon, id, { ...zulip, reaction_type: "zulip_extra_emoji" });
  await react(puck, id, { emoji_name: "zulip" });
  const repeated = await react(oberon, id, { ...zulip, reaction_type: "service_extra_emoji" });

  expect(repeated).toMatchObject({ status: 400, body: { code: "REACTION_ALREADY_EXISTS" } });
  expect((await fetchMessage(oberon, id)).reactions).toEqual([
    { ...zulip, reaction_type: "service_extra_emoji", user_id: oberon.id },
    { ...zulip, reaction_type: "service_extra_emoji", user_id: puck.id },
  ]);
});

test.each([
  ["an unknown name", { emoji_name: "no_such_emoji" }, "Emoji 'no_such_emoji' does not exist"],
  ["an unknown code", { ...smile, emoji_code: "ffff1" }, "Invalid emoji code."],
  ["a name of another code", { ...smile, emoji_name: "tada" }, "Invalid emoji name."],
  ["an unknown code of an extra emoji", { ...smile, reaction_type: "service_extra_emoji" }, "Invalid emoji code."],
  [
    "an unknown custom emoji",
    { ...smile, emoji_code: "999999999", reaction_type: "realm_emoji" },
    "Invalid custom emoji.",
  ],
  ["an unknown type", { ...smile, reaction_type: "sticker" }, "Invalid reaction_type"],
])("a reaction with %s is refused", async (_, emoji, msg) => {
  const oberon = await aPerson("Oberon");
  const id = await sendDirect(oberon, [oberon]);

  expect(await react(oberon, id, emoji)).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg } });
});

test("a reaction without a name is refused, and so is a user's second one with the same emoji", async () => {
  const oberon = await aPerson("Oberon");
  const id = await sendDirect(oberon, [oberon]);
  await react(oberon, id, smile);

  expect(await react(oberon, id, {})).toMatchObject({
    status: 400,
    body: { code: "REQUEST_VARIABLE_MISSING", var_name: "emoji_name" },
  });
  expect(await react(oberon, id, { emoji_name: "smile" })).toMatchObject({
    status: 400,
    body: { code: "REACTION_ALREADY_EXISTS", msg: "Reaction already exists." },
  });
});

test("a reaction to a message that the caller may not read gets the error for unknown messages", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const court = await aChannel("court", [oberon], { inviteOnly: true });

  expect(await react(puck, await sendDirect(oberon, [oberon]), smile)).toMatchObject(invalid);
  expect(await react(puck, await sendToChannel(oberon, court, "secrets"), smile)).toMatchObject(invalid);
  expect(await react(puck, 999_999_999, smile)).toMatchObject(invalid);
});

test("a reaction's event is addressed to the message's readers", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const wood = await aChannel("wood", [oberon]);
  const id = await sendToChannel(oberon, wood, "flowers");
  const end = await logEnd();

  await react(puck, id, smile);

  expect(await eventsAfter(end, "reaction", ({ message_id }) => message_id === id)).toEqual([
    {
      audience: { kind: "channel", channelId: wood.id, userIds: [puck.id], messageId: id },
      event: {
        type: "reaction",
        op: "add",
        message_id: id,
        ...smile,
        user_id: puck.id,
        user: { user_id: puck.id, email: puck.email, full_name: "Puck", is_mirror_dummy: false },
      },
    },
  ]);
});

costTest("adding or removing a reaction costs at most 8 write units, and adding one 7 read units", async () => {
  const [oberon, puck] = [await aPerson("Oberon"), await aPerson("Puck")];
  const wood = await aChannel("wood", [oberon, puck]);
  const id = await sendToChannel(oberon, wood, "flowers", "x".repeat(300));

  const first = await react(oberon, id, smile);
  const second = await react(puck, id, smile);
  const removed = await puck.call("DELETE", `/messages/${id}/reactions`, smile);

  expect(first.cost.writeUnits).toBeLessThanOrEqual(8);
  expect(second.cost.writeUnits).toBeLessThanOrEqual(8);
  expect(removed.cost.writeUnits).toBeLessThanOrEqual(8);
  expect(second.cost.readUnits).toBeLessThanOrEqual(7 + partitionEndReadUnits);
});

test("twenty concurrent reactions are all stored", { timeout: 60_000 }, async () => {
  const people = await Promise.all(Array.from({ length: 20 }, (_, index) => aPerson(`Fairy ${index}`)));
  const wood = await aChannel("wood", people.slice(0, 15));
  const id = await sendToChannel(people[0] as Person, wood, "flowers");

  const replies = await Promise.all(
    people.map((person, index) => react(person, id, index % 2 === 0 ? smile : { emoji_name: "heart" })),
  );

  expect(replies.map(({ status }) => status)).toEqual(people.map(() => 200));
  const { reactions } = await fetchMessage(people[0] as Person, id);
  expect(reactions).toHaveLength(20);
  expect(new Set(reactions.map((each: any) => each.user_id)).size).toBe(20);
  const removals = await Promise.all(
    people.map((person, index) =>
      person.call("DELETE", `/messages/${id}/reactions`, { emoji_name: index % 2 === 0 ? "smile" : "heart" }),
    ),
  );
  expect(removals.map(({ status }) => status)).toEqual(people.map(() => 200));
  expect((await fetchMessage(people[0] as Person, id)).reactions).toEqual([]);
});
