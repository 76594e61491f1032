import { expect, test } from "vitest";
import { everyone, nobody } from "../../shared/groups/system.ts";
import { aChannel, aPerson, call } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 10, num_after: 0 };

test("a message to a channel is read by another subscriber", async () => {
  const [iago, emilia] = [await aPerson("Iago"), await aPerson("Emilia")];
  const venice = await aChannel("venice", [iago, emilia]);

  const sent = await iago.call("POST", "/messages", {
    type: "channel",
    to: venice.id,
    topic: "plots",
    content: "Put money in thy purse.",
  });

  expect(sent).toMatchObject({ status: 200, body: { result: "success", msg: "", id: expect.any(Number) } });
  const read = await emilia.call("GET", "/messages", {
    ...newest,
    narrow: [{ operator: "channel", operand: venice.id }],
  });
  expect(read.body.messages).toEqual([
    {
      id: sent.body.id,
      type: "stream",
      timestamp: expect.any(Number),
      content: "<p>Put money in thy purse.</p>",
      content_type: "text/html",
      subject: "plots",
      topic_links: [],
      stream_id: venice.id,
      display_recipient: venice.name,
      recipient_id: venice.recipientId,
      sender_id: iago.id,
      sender_email: iago.email,
      sender_full_name: "Iago",
      sender_realm_str: "",
      avatar_url: null,
      client: "SkeinTest",
      is_me_message: false,
      reactions: [],
      submessages: [],
      flags: [],
    },
  ]);
});

test("a channel may be named, in any case, and the topic given as its older parameter", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("Venice", [iago]);

  const sent = await iago.call("POST", "/messages", {
    type: "stream",
    to: venice.name.toUpperCase(),
    subject: "masks",
    content: "I am not what I am.",
  });

  expect(sent.status).toBe(200);
});

test("a direct message reaches its recipients, by ID or address, and nobody else", async () => {
  const [rosalind, celia, orlando] = [await aPerson("Rosalind"), await aPerson("Celia"), await aPerson("Orlando")];

  const byId = await rosalind.call("POST", "/messages", {
    type: "direct",
    to: [celia.id],
    content: "I pray thee, coz",
  });
  const byEmail = await celia.call("POST", "/messages", {
    type: "private",
    to: [rosalind.email],
    content: "be merry.",
  });

  const narrow = [{ operator: "dm", operand: [celia.id] }];
  const read = await rosalind.call("GET", "/messages", { ...newest, narrow });
  expect(read.body.messages.map(({ id }: { id: number }) => id)).toEqual([byId.body.id, byEmail.body.id]);
  expect(new Set(read.body.messages.map((message: { recipient_id: number }) => message.recipient_id)).size).toBe(1);
  expect(read.body.messages[0]).toMatchObject({
    type: "private",
    subject: "",
    display_recipient: expect.arrayContaining([
      expect.objectContaining({ id: celia.id, email: celia.email, full_name: "Celia", is_mirror_dummy: false }),
    ]),
  });
  const others = await orlando.call("GET", "/messages", newest);
  expect(others.body.messages).toEqual([]);
});

test("two people who begin a conversation at once write in the same one", async () => {
  const [romeo, juliet] = [await aPerson("Romeo"), await aPerson("Juliet")];

  const sent = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0
        ? romeo.call("POST", "/messages", { type: "direct", to: [juliet.id], content: `shall I hear more ${index}` })
        : juliet.call("POST", "/messages", { type: "direct", to: [romeo.id], content: `what man art thou ${index}` }),
    ),
  );

  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const read = await juliet.call("GET", "/messages", { ...newest, narrow: [{ operator: "dm", operand: [romeo.id] }] });
  expect(read.body.messages).toHaveLength(6);
  expect(new Set(read.body.messages.map((message: { recipient_id: number }) => message.recipient_id)).size).toBe(1);
});

test("a text that is too long is cut, and so is a topic", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  await iago.call("POST", "/messages", {
    type: "channel",
    to: venice.id,
    topic: "t".repeat(80),
    content: `\n\n${"x".repeat(12_000)}  `,
  });

  const read = await iago.call("GET", "/messages", { ...newest, apply_markdown: false });
  const [{ content, subject, content_type }] = read.body.messages;
  expect([...content]).toHaveLength(10_000);
  expect(content).toMatch(/^x+\n\[message truncated\]$/);
  expect(subject).toBe(`${"t".repeat(57)}...`);
  expect(content_type).toBe("text/x-markdown");
});

test("the empty topic has three spellings and shows its name to clients that do not know it", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  for (const topic of ["", "(no topic)", "general chat"])
    await iago.call("POST", "/messages", { type: "channel", to: venice.id, topic, content: "Virtue? a fig!" });

  const narrow = [
    { operator: "channel", operand: venice.id },
    { operator: "topic", operand: "" },
  ];
  const shown = await iago.call("GET", "/messages", { ...newest, narrow });
  expect(shown.body.messages.map(({ subject }: { subject: string }) => subject)).toEqual([
    "general chat",
    "general chat",
    "general chat",
  ]);
  const raw = await iago.call("GET", "/messages", { ...newest, narrow, allow_empty_topic_name: true });
  expect(raw.body.messages[0].subject).toBe("");
});

test("what an endpoint does not know is named, and the message sent all the same", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  const sent = await iago.call("POST", "/messages?zeal=1", {
    type: "channel",
    to: venice.id,
    topic: "t",
    content: "c",
    ardour: "2",
  });

  expect(sent.body.ignored_parameters_unsupported).toEqual(["ardour", "zeal"]);
});

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
  ["a flag that is none", { read_by_sender: "True" }, { code: "BAD_REQUEST", msg: "read_by_sender is not a boolean" }],
];

test.each(refused)("refuses %s", async (_, wrong, error) => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  const reply = await iago.call("POST", "/messages", {
    type: "channel",
    to: venice.id,
    topic: "t",
    content: "c",
    ...wrong,
  });

  expect(reply).toMatchObject({ status: 400, body: { result: "error", ...error } });
});

test("a private channel is closed to whoever is not subscribed, and to guests any channel that they are not in", async () => {
  const [hamlet, gravedigger, guest] = [
    await aPerson("Hamlet"),
    await aPerson("Gravedigger"),
    await aPerson("Osric", { role: "guest" }),
  ];
  const closet = await aChannel("closet", [hamlet], { inviteOnly: true });
  const court = await aChannel("court", [hamlet]);
  const message = { type: "channel", topic: "t", content: "c" };

  const outside = await gravedigger.call("POST", "/messages", { ...message, to: closet.id });
  const asGuest = await guest.call("POST", "/messages", { ...message, to: court.id });

  expect(outside).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Not authorized to send to channel '${closet.name}'` },
  });
  expect(asGuest).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: `Not authorized to send to channel '${court.name}'` },
  });
});

test("a channel's setting says who may post", async () => {
  const [hamlet, guest] = [await aPerson("Hamlet"), await aPerson("Osric", { role: "guest" })];
  const only = { direct_members: [guest.id], direct_subgroups: [] };
  const quiet = await aChannel("quiet", [hamlet], { permissions: { can_send_message_group: nobody } });
  const guests = await aChannel("guests", [hamlet, guest], { permissions: { can_send_message_group: only } });
  const open = await aChannel("open", [hamlet, guest], { permissions: { can_send_message_group: everyone } });
  const message = { type: "channel", topic: "t", content: "c" };

  const refused = { status: 400, body: { msg: "You do not have permission to post in this channel." } };
  expect(await hamlet.call("POST", "/messages", { ...message, to: quiet.id })).toMatchObject(refused);
  expect(await hamlet.call("POST", "/messages", { ...message, to: guests.id })).toMatchObject(refused);
  expect((await guest.call("POST", "/messages", { ...message, to: guests.id })).status).toBe(200);
  expect((await guest.call("POST", "/messages", { ...message, to: open.id })).status).toBe(200);
});

test("a channel's policy about the empty topic holds", async () => {
  const hamlet = await aPerson("Hamlet");
  const named = await aChannel("named", [hamlet], { topicsPolicy: "disable_empty_topic" });
  const unnamed = await aChannel("unnamed", [hamlet], { topicsPolicy: "empty_topic_only" });
  const message = { type: "channel", content: "c" };

  expect((await hamlet.call("POST", "/messages", { ...message, to: named.id, topic: "(no topic)" })).status).toBe(400);
  expect((await hamlet.call("POST", "/messages", { ...message, to: named.id, topic: "t" })).status).toBe(200);
  expect((await hamlet.call("POST", "/messages", { ...message, to: unnamed.id, topic: "t" })).status).toBe(400);
  expect((await hamlet.call("POST", "/messages", { ...message, to: unnamed.id, topic: "general chat" })).status).toBe(
    200,
  );
});

test("nobody sends without an account", async () => {
  const reply = await call("POST", "/messages", { type: "channel", to: 1, topic: "t", content: "c" });

  expect(reply).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Not logged in: API authentication or user session required" },
    headers: { "www-authenticate": 'Basic realm="zulip"' },
  });
});

test("a message that a person writes in a client is read by them, and one that a program sends is not", async () => {
  const hamlet = await aPerson("Hamlet");
  const court = await aChannel("court", [hamlet]);
  const message = { type: "channel", to: court.id, topic: "t", content: "c" };

  await hamlet.call("POST", "/messages", message, { client: "ZulipMobile/30.0 (Android)" });
  await hamlet.call("POST", "/messages", message, { client: "ZulipPython/0.9" });
  await hamlet.call("POST", "/messages", { ...message, read_by_sender: true });

  const read = await hamlet.call("GET", "/messages", newest);
  expect(read.body.messages.map(({ flags }: { flags: string[] }) => flags)).toEqual([["read"], [], ["read"]]);
});
