import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let rosalind: Person;
let orlando: Person;
let jaques: Person;
let arden: Channel;

beforeAll(async () => {
  [rosalind, orlando, jaques] = await Promise.all([aPerson("Rosalind"), aPerson("Orlando"), aPerson("Jaques")]);
  arden = await aChannel("arden", [rosalind, orlando]);
});

const sendMessage = async (content = "All the world's a stage", person = orlando, client = "SkeinTest/1.0") => {
  const { body } = await person.call(
    "POST",
    "/messages",
    { type: "channel", to: arden.id, topic: "stage", content },
    { client },
  );
  return body.id as number;
};
const change = (person: Person, messages: number[], op: string, flag: string) =>
  person.call("POST", "/messages/flags", { messages, op, flag });
const flagsOf = async (person: Person, ids: number[]) => {
  const { body } = await person.call("GET", "/messages", {
    narrow: [{ operator: "channel", operand: arden.id }],
    anchor: "newest",
    num_before: 100,
    num_after: 0,
  });
  return ids.map((id) => body.messages.find((message: { id: number }) => message.id === id)?.flags);
};

test("a message is unread until its reader marks it, for each reader separately", async () => {
  const ids = [await sendMessage(), await sendMessage()];

  const { body } = await change(rosalind, ids.slice(0, 1), "add", "read");

  expect(body.messages).toEqual(ids.slice(0, 1));
  expect(await flagsOf(rosalind, ids)).toEqual([["read"], []]);
  expect(await flagsOf(orlando, ids)).toEqual([[], []]);
});

test("the reply names only the messages whose flags changed", async () => {
  const ids = [await sendMessage(), await sendMessage()];
  await change(rosalind, ids.slice(0, 1), "add", "read");

  expect((await change(rosalind, ids, "add", "read")).body.messages).toEqual(ids.slice(1));
  expect((await change(rosalind, ids, "add", "read")).body.messages).toEqual([]);
});

test("when two clients star a message at once, only one reply reports a change", async () => {
  const id = await sendMessage();

  const additions = await Promise.all([
    change(rosalind, [id], "add", "starred"),
    change(rosalind, [id], "add", "starred"),
  ]);
  expect(additions.flatMap(({ body }) => body.messages)).toEqual([id]);

  const removals = await Promise.all([1, 2, 3].map(() => change(rosalind, [id], "remove", "starred")));
  expect(removals.flatMap(({ body }) => body.messages)).toEqual([id]);
});

test("a message that is marked as unread is unread again", async () => {
  const ids = [await sendMessage(), await sendMessage()];
  await change(rosalind, ids, "add", "read");

  const { body } = await change(rosalind, ids.slice(1), "remove", "read");

  expect(body).toMatchObject({ messages: ids.slice(1), ignored_because_not_subscribed_channels: [] });
  expect(await flagsOf(rosalind, ids)).toEqual([["read"], []]);
});

test("a message sent from an interactive client is read for its sender, who can mark it as unread", async () => {
  const id = await sendMessage("I met a fool i' the forest", orlando, "ZulipMobile/1.0");
  expect(await flagsOf(orlando, [id])).toEqual([["read"]]);

  await change(orlando, [id], "remove", "read");

  expect(await flagsOf(orlando, [id])).toEqual([[]]);
});

test("channels without a subscription are ignored when messages are marked as unread", async () => {
  const id = await sendMessage();

  const { body } = await change(jaques, [id], "remove", "read");

  expect(body).toMatchObject({ messages: [], ignored_because_not_subscribed_channels: [arden.id] });
  expect(await flagsOf(jaques, [id])).toEqual([["read", "historical"]]);
});

test("stars can be added and removed, also on messages that were never received", async () => {
  const id = await sendMessage();

  expect((await change(rosalind, [id], "add", "starred")).body.messages).toEqual([id]);
  expect((await change(jaques, [id], "add", "starred")).body.messages).toEqual([id]);
  expect(await flagsOf(rosalind, [id])).toEqual([["starred"]]);
  expect(await flagsOf(jaques, [id])).toEqual([["read", "starred", "historical"]]);

  expect((await change(rosalind, [id], "remove", "starred")).body.messages).toEqual([id]);
  expect((await change(rosalind, [id], "remove", "starred")).body.messages).toEqual([]);
  expect(await flagsOf(rosalind, [id])).toEqual([[]]);
});

test("flags are listed in the order that Zulip documents", async () => {
  const id = await sendMessage();
  await change(rosalind, [id], "add", "collapsed");
  await change(rosalind, [id], "add", "starred");
  await change(rosalind, [id], "add", "read");

  expect(await flagsOf(rosalind, [id])).toEqual([["read", "starred", "collapsed"]]);
});

test("concurrent flag updates of many clients lose none", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => sendMessage()));

  const replies = await Promise.all(ids.map((id) => change(rosalind, [id], "add", "read")));

  expect(replies.map(({ status }) => status)).toEqual(ids.map(() => 200));
  expect(await flagsOf(rosalind, ids)).toEqual(ids.map(() => ["read"]));
});

test("other people's direct messages can be neither starred nor marked as read", async () => {
  const { body } = await orlando.call("POST", "/messages", { type: "direct", to: [rosalind.id], content: "Sweet" });

  const starred = await change(jaques, [body.id], "add", "starred");
  const read = await change(jaques, [body.id], "add", "read");

  expect(starred).toMatchObject({ status: 400, body: { code: "BAD_REQUEST", msg: "Invalid message(s)" } });
  expect(read.body.messages).toEqual([]);
});

test.each([
  ["an unknown flag", { messages: [], op: "add", flag: "loved" }, "Invalid flag: 'loved'"],
  [
    "a flag that only the server sets",
    { messages: [], op: "add", flag: "mentioned" },
    "Flag not editable: 'mentioned'",
  ],
  ["an unknown operation", { messages: [], op: "toggle", flag: "read" }, "Invalid op"],
  ["messages that are no list", { messages: 7, op: "add", flag: "read" }, "messages is not a list"],
  ["messages that are no numbers", { messages: ["a"], op: "add", flag: "read" }, "messages[0] is not an integer"],
])("refuses %s", async (_, params, msg) => {
  expect(await rosalind.call("POST", "/messages/flags", params)).toMatchObject({
    status: 400,
    body: { result: "error", code: "BAD_REQUEST", msg },
  });
});

test("an error names the missing parameter", async () => {
  expect((await rosalind.call("POST", "/messages/flags", { op: "add", flag: "read" })).body).toMatchObject({
    code: "REQUEST_VARIABLE_MISSING",
    var_name: "messages",
  });
});
