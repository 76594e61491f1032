import { expect, test } from "vitest";
import { aChannel, aPerson } from "../support/world.ts";

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
  const reply = await emilia.call("GET", "/messages", {
    ...newest,
    narrow: [{ operator: "channel", operand: venice.id }],
  });
  expect(reply.body.messages).toEqual([
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

test("a channel can be given by name, ignoring case, and the topic as the older parameter subject", async () => {
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
  const reply = await rosalind.call("GET", "/messages", { ...newest, narrow });
  expect(reply.body.messages.map(({ id }: { id: number }) => id)).toEqual([byId.body.id, byEmail.body.id]);
  expect(new Set(reply.body.messages.map((message: { recipient_id: number }) => message.recipient_id)).size).toBe(1);
  expect(reply.body.messages[0]).toMatchObject({
    type: "private",
    subject: "",
    display_recipient: expect.arrayContaining([
      expect.objectContaining({ id: celia.id, email: celia.email, full_name: "Celia", is_mirror_dummy: false }),
    ]),
  });
  const outsidersReply = await orlando.call("GET", "/messages", newest);
  expect(outsidersReply.body.messages).toEqual([]);
});

test("two people who start a conversation at the same time write to the same one", async () => {
  const [romeo, juliet] = [await aPerson("Romeo"), await aPerson("Juliet")];

  const sent = await Promise.all(
    Array.from({ length: 6 }, (_, index) =>
      index % 2 === 0
        ? romeo.call("POST", "/messages", { type: "direct", to: [juliet.id], content: `shall I hear more ${index}` })
        : juliet.call("POST", "/messages", { type: "direct", to: [romeo.id], content: `what man art thou ${index}` }),
    ),
  );

  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
  const reply = await juliet.call("GET", "/messages", { ...newest, narrow: [{ operator: "dm", operand: [romeo.id] }] });
  expect(reply.body.messages).toHaveLength(6);
  expect(new Set(reply.body.messages.map((message: { recipient_id: number }) => message.recipient_id)).size).toBe(1);
});

test("content or a topic that is too long is truncated", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  await iago.do("POST", "/messages", {
    type: "channel",
    to: venice.id,
    topic: "t".repeat(80),
    content: `\n\n${"x".repeat(12_000)}  `,
  });

  const reply = await iago.call("GET", "/messages", { ...newest, apply_markdown: false });
  const [{ content, subject, content_type }] = reply.body.messages;
  expect([...content]).toHaveLength(10_000);
  expect(content).toMatch(/^x+\n\[message truncated\]$/);
  expect(subject).toBe(`${"t".repeat(57)}...`);
  expect(content_type).toBe("text/x-markdown");
});

test("the empty topic can be given in three ways, and clients without support for it see its display name", async () => {
  const iago = await aPerson("Iago");
  const venice = await aChannel("venice", [iago]);

  for (const topic of ["", "(no topic)", "general chat"])
    await iago.do("POST", "/messages", { type: "channel", to: venice.id, topic, content: "Virtue? a fig!" });

  const narrow = [
    { operator: "channel", operand: venice.id },
    { operator: "topic", operand: "" },
  ];
  const withoutSupport = await iago.call("GET", "/messages", { ...newest, narrow });
  expect(withoutSupport.body.messages.map(({ subject }: { subject: string }) => subject)).toEqual([
    "general chat",
    "general chat",
    "general chat",
  ]);
  const withSupport = await iago.call("GET", "/messages", { ...newest, narrow, allow_empty_topic_name: true });
  expect(withSupport.body.messages[0].subject).toBe("");
});

test("unknown parameters are reported, and the message is sent anyway", async () => {
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

test("a message sent from a person's client is read for them, and one sent by a script is not", async () => {
  const hamlet = await aPerson("Hamlet");
  const court = await aChannel("court", [hamlet]);
  const message = { type: "channel", to: court.id, topic: "t", content: "c" };

  await hamlet.do("POST", "/messages", message, { client: "ZulipMobile/30.0 (Android)" });
  await hamlet.do("POST", "/messages", message, { client: "ZulipPython/0.9" });
  await hamlet.do("POST", "/messages", { ...message, read_by_sender: true });

  const reply = await hamlet.call("GET", "/messages", newest);
  expect(reply.body.messages.map(({ flags }: { flags: string[] }) => flags)).toEqual([["read"], [], ["read"]]);
});
