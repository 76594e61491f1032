import { expect, test } from "vitest";
import { everyone, nobody } from "../../../shared/base/schema/system-groups.ts";
import { aChannel, aPerson, call } from "../../support/world.ts";

const refused: [string, Record<string, unknown>, Record<string, unknown>][] = [
  [
    "no content",
    { content: undefined },
    { code: "REQUEST_VARIABLE_MISSING", var_name: "content", msg: "Missing 'content' argument" },
  ],
  ["no type", { type: undefined }, { code: "REQUEST_VARIABLE_MISSING", var_name: "type" }],
  ["an unknown type", { type: "carrier pigeon" }, { code: "BAD_REQUEST", msg: "Invalid type" }],
  ["an empty content", { content: " \n " }, { code: "BAD_REQUEST", msg: "Message must not be empty" }],
  ["a null byte", { content: "a\0b" }, { code: "BAD_REQUEST", msg: "Message must not contain null bytes" }],
  ["no topic", { topic: undefined }, { code: "BAD_REQUEST", msg: "Missing topic" }],
  [
    "a control character in the topic",
    { topic: "a\u0007b" },
    { code: "BAD_REQUEST", msg: "Invalid character in topic, at position 2!" },
  ],
  [
    "an unknown channel",
    { to: 99_999_999 },
    { code: "STREAM_DOES_NOT_EXIST", stream_id: 99_999_999, msg: "Channel with ID '99999999' does not exist" },
  ],
  ["an unknown channel's name", { to: "elsinore" }, { code: "STREAM_DOES_NOT_EXIST", stream: "elsinore" }],
  ["two channels", { to: [1, 2] }, { code: "BAD_REQUEST" }],
  ["an unknown user", { type: "direct", to: [99_999_999] }, { code: "BAD_REQUEST", msg: "Invalid user ID 99999999" }],
  [
    "an unknown address",
    { type: "direct", to: ["yorick@globe.test"] },
    { code: "BAD_REQUEST", msg: "Invalid email 'yorick@globe.test'" },
  ],
  ["no recipients", { type: "direct", to: [] }, { code: "BAD_REQUEST", msg: "Message must have recipients" }],
  [
    "too many recipients",
    { type: "direct", to: Array.from({ length: 81 }, (_, id) => id + 1) },
    { code: "BAD_REQUEST" },
  ],
  ["a broken list", { type: "direct", to: "[1," }, { code: "BAD_REQUEST" }],
  ["a wrong type in the list", { type: "direct", to: [{}] }, { code: "BAD_REQUEST" }],
  [
    "a flag that is not a boolean",
    { read_by_sender: "True" },
    { code: "BAD_REQUEST", msg: "read_by_sender is not a boolean" },
  ],
];

test.each(refused)("refuses %s", async (_, changes, error) => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  const reply = await iago.call("POST", "/messages", {
    type: "channel",
    to: venice.id,
    topic: "t",
    content: "c",
    ...changes,
  });

  expect(reply).toMatchObject({ status: 400, body: { result: "error", ...error } });
});

test("sending is refused to a private channel without a subscription, and for guests to any such channel", async () => {
  const [hamlet, gravedigger, guest] = [
    await aPerson("Hamlet"),
    await aPerson("Gravedigger"),
    await aPerson("Osric", { role: "guest" }),
  ];
  const closet = await aChannel("closet", [hamlet], { inviteOnly: true });
  const court = await aChannel("court", [hamlet]);
  const message = { type: "channel", topic: "t", content: "c" };

  const outsidersReply = await gravedigger.call("POST", "/messages", { ...message, to: closet.id });
  const byName = await gravedigger.call("POST", "/messages", { ...message, to: closet.name });
  const guestsReply = await guest.call("POST", "/messages", { ...message, to: court.id });

  expect(outsidersReply).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Not authorized to send to channel '${closet.id}'` },
  });
  // The error may repeat a name that the caller gave, but must not disclose the name for an ID.
  expect(byName.body.msg).toBe(`Not authorized to send to channel '${closet.name}'`);
  expect(guestsReply).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Not authorized to send to channel '${court.id}'` },
  });
});

test("a channel's setting says who may post", async () => {
  const [hamlet, guest] = [await aPerson("Hamlet"), await aPerson("Osric", { role: "guest" })];
  const onlyGuest = { direct_members: [guest.id], direct_subgroups: [] };
  const quiet = await aChannel("quiet", [hamlet], { permissions: { can_send_message_group: nobody } });
  const guests = await aChannel("guests", [hamlet, guest], { permissions: { can_send_message_group: onlyGuest } });
  const open = await aChannel("open", [hamlet, guest], { permissions: { can_send_message_group: everyone } });
  const message = { type: "channel", topic: "t", content: "c" };

  const refused = { status: 400, body: { msg: "You do not have permission to post in this channel." } };
  expect(await hamlet.call("POST", "/messages", { ...message, to: quiet.id })).toMatchObject(refused);
  expect(await hamlet.call("POST", "/messages", { ...message, to: guests.id })).toMatchObject(refused);
  expect((await guest.call("POST", "/messages", { ...message, to: guests.id })).status).toBe(200);
  expect((await guest.call("POST", "/messages", { ...message, to: open.id })).status).toBe(200);
});

test("sending respects a channel's policy about the empty topic", async () => {
  const hamlet = await aPerson("Hamlet");
  const namedTopicsOnly = await aChannel("named", [hamlet], { topicsPolicy: "disable_empty_topic" });
  const emptyTopicOnly = await aChannel("unnamed", [hamlet], { topicsPolicy: "empty_topic_only" });
  const message = { type: "channel", content: "c" };

  expect(
    (await hamlet.call("POST", "/messages", { ...message, to: namedTopicsOnly.id, topic: "(no topic)" })).status,
  ).toBe(400);
  expect((await hamlet.call("POST", "/messages", { ...message, to: namedTopicsOnly.id, topic: "t" })).status).toBe(200);
  expect((await hamlet.call("POST", "/messages", { ...message, to: emptyTopicOnly.id, topic: "t" })).status).toBe(400);
  expect(
    (await hamlet.call("POST", "/messages", { ...message, to: emptyTopicOnly.id, topic: "general chat" })).status,
  ).toBe(200);
});

test("sending without credentials is refused", async () => {
  const reply = await call("POST", "/messages", { type: "channel", to: 1, topic: "t", content: "c" });

  expect(reply).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Not logged in: API authentication or user session required" },
    headers: { "www-authenticate": 'Basic realm="zulip"' },
  });
});
