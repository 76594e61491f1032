import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, sendDirect } from "../support/messages.ts";
import { aPerson, type Person } from "../support/world.ts";

const smile = { emoji_name: "smile", emoji_code: "1f604", reaction_type: "unicode_emoji" };
const path = (id: number) => `/messages/${id}/reactions`;

async function aMessageWithReactions() {
  const [hamlet, iago] = [await aPerson("Hamlet"), await aPerson("Iago")];
  const id = await sendDirect(hamlet, [iago]);
  for (const person of [hamlet, iago]) await person.do("POST", path(id), { emoji_name: "smile" });
  return { hamlet, iago, id };
}

const reactors = async (reader: Person, id: number) =>
  (await fetchMessage(reader, id)).reactions.map((each: any) => each.user_id);

test.each([
  ["name, code and type", smile],
  ["the name alone", { emoji_name: "smile" }],
  ["the code alone", { emoji_code: "1f604" }],
  ["code and type", { emoji_code: "1f604", reaction_type: "unicode_emoji" }],
])("removes the caller's own reaction by %s, and no others", async (_, emoji) => {
  const { hamlet, iago, id } = await aMessageWithReactions();

  const reply = await iago.call("DELETE", path(id), emoji);

  expect(reply).toMatchObject({ status: 200, body: { result: "success", msg: "" } });
  expect(await reactors(hamlet, id)).toEqual([hamlet.id]);
});

test.each([
  [
    "a reaction that the caller does not have",
    { emoji_name: "tada" },
    "REACTION_DOES_NOT_EXIST",
    "Reaction doesn't exist.",
  ],
  ["an unknown code", { emoji_code: "ffff1" }, "BAD_REQUEST", "Invalid emoji code."],
  [
    "a code of another type",
    { emoji_code: "1f604", reaction_type: "realm_emoji" },
    "BAD_REQUEST",
    "Invalid emoji code.",
  ],
  ["a valid code without a reaction", { emoji_code: "1f389" }, "REACTION_DOES_NOT_EXIST", "Reaction doesn't exist."],
  ["an unknown name", { emoji_name: "no_such_emoji" }, "BAD_REQUEST", "Emoji 'no_such_emoji' does not exist"],
  [
    "neither name nor code",
    {},
    "BAD_REQUEST",
    "At least one of the following arguments must be present: emoji_name, emoji_code",
  ],
])("removing refuses %s", async (_, emoji, code, msg) => {
  const { hamlet, iago, id } = await aMessageWithReactions();

  expect(await iago.call("DELETE", path(id), emoji)).toMatchObject({ status: 400, body: { code, msg } });
  expect(await reactors(hamlet, id)).toEqual([hamlet.id, iago.id]);
});

test("removing a reaction a second time is refused", async () => {
  const { iago, id } = await aMessageWithReactions();
  await iago.do("DELETE", path(id), smile);

  expect((await iago.call("DELETE", path(id), smile)).body.code).toBe("REACTION_DOES_NOT_EXIST");
});

test("removing a reaction from a message that the caller may not read is refused", async () => {
  const { id } = await aMessageWithReactions();
  const stranger = await aPerson("Fortinbras");

  expect((await stranger.call("DELETE", path(id), smile)).body.msg).toBe("Invalid message(s)");
});

test("after its last reaction was removed, an emoji can get a new name and position", async () => {
  const { hamlet, iago, id } = await aMessageWithReactions();
  await hamlet.do("POST", path(id), { emoji_name: "thumbs_up" });
  await hamlet.do("POST", path(id), { emoji_name: "heart" });
  await hamlet.do("DELETE", path(id), { emoji_name: "thumbs_up" });

  await iago.do("POST", path(id), { emoji_name: "+1" });

  const { reactions } = await fetchMessage(hamlet, id);
  expect(reactions.map((each: any) => each.emoji_name)).toEqual(["smile", "smile", "heart", "+1"]);
});

test("a removal's event is addressed to the message's readers", async () => {
  const { hamlet, iago, id } = await aMessageWithReactions();
  const end = await logEnd();

  await iago.do("DELETE", path(id), { emoji_name: "smile" });

  const [logged, ...others] = await eventsAfter(end, "reaction", ({ message_id }) => message_id === id);
  expect(others).toEqual([]);
  expect(logged?.audience).toEqual({ kind: "users", userIds: [hamlet.id, iago.id] });
  expect(logged?.event).toMatchObject({ op: "remove", message_id: id, ...smile, user_id: iago.id });
});
