import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { eventsAfter, logEnd } from "../support/log.ts";
import { fetchMessage, sendDirect, sendToChannel } from "../support/messages.ts";
import { backdateMessage } from "../support/table/aging.ts";
import { aChannel, aPerson, costTest, type Person } from "../support/world.ts";

const edit = (person: Person, id: number, params: Record<string, unknown>) =>
  person.call("PATCH", `/messages/${id}`, params);
const refused = (msg: string, code = "BAD_REQUEST") => ({ status: 400, body: { code, msg } });
/** The organization's default limit for editing one's own messages. */
const timeLimitSeconds = 600;
const about = (id: number) => (event: any) => event.message_id === id;

test("an edit replaces the content, and the history keeps the old one", async () => {
  const [ariel, prospero] = [await aPerson("Ariel"), await aPerson("Prospero")];
  const id = await sendDirect(ariel, [prospero], "first");

  const reply = await edit(ariel, id, { content: "/me second" });

  expect(reply.body).toEqual({ result: "success", msg: "", detached_uploads: [] });
  const message = await fetchMessage(prospero, id);
  expect(message).toMatchObject({
    content: "/me second",
    is_me_message: true,
    last_edit_timestamp: expect.any(Number),
  });
  expect(message).not.toHaveProperty("last_moved_timestamp");
  expect(message.edit_history).toEqual([
    {
      user_id: ariel.id,
      timestamp: message.last_edit_timestamp,
      prev_content: "first",
      prev_rendered_content: "<p>first</p>",
    },
  ]);
});

test("an edit is written to the log with both texts", async () => {
  const [ariel, prospero] = [await aPerson("Ariel"), await aPerson("Prospero")];
  const isle = await aChannel("isle", [ariel, prospero]);
  const id = await sendToChannel(ariel, isle, "songs", "first");
  const end = await logEnd();

  await edit(ariel, id, { content: "second" });

  expect(await eventsAfter(end, "update_message", about(id))).toEqual([
    {
      audience: { kind: "channel", channelId: isle.id, userIds: [ariel.id], messageId: id },
      event: {
        type: "update_message",
        user_id: ariel.id,
        rendering_only: false,
        message_id: id,
        message_ids: [id],
        flags: [],
        edit_timestamp: expect.any(Number),
        stream_id: isle.id,
        stream_name: isle.name,
        orig_content: "first",
        orig_rendered_content: "<p>first</p>",
        content: "second",
        rendered_content: "<p>second</p>",
        is_me_message: false,
      },
    },
  ]);
});

test("only the sender can edit the content, and to people without access the message does not exist", async () => {
  const [ariel, prospero, caliban] = [await aPerson("Ariel"), await aPerson("Prospero"), await aPerson("Caliban")];
  const owner = await aPerson("Owner", { role: "owner" });
  const id = await sendDirect(ariel, [prospero, owner]);

  const noPermission = "You don't have permission to edit this message";
  expect(await edit(prospero, id, { content: "x" })).toMatchObject(refused(noPermission));
  expect(await edit(owner, id, { content: "x" })).toMatchObject(refused(noPermission));
  expect(await edit(caliban, id, { content: "x" })).toMatchObject(refused("Invalid message(s)"));
  expect(await edit(caliban, 999_999_999, { content: "x" })).toMatchObject(refused("Invalid message(s)"));
});

test("an edit is accepted up to twenty seconds after the time limit", async () => {
  const ariel = await aPerson("Ariel");
  const [late, tooLate] = [await sendDirect(ariel, [ariel]), await sendDirect(ariel, [ariel])];
  await backdateMessage(late, timeLimitSeconds + 10);
  await backdateMessage(tooLate, timeLimitSeconds + 25);

  expect((await edit(ariel, late, { content: "x" })).status).toBe(200);
  expect(await edit(ariel, tooLate, { content: "x" })).toMatchObject(
    refused("The time limit for editing this message has past"),
  );
});

test("an edit is refused if the current content is not the one that it expects", async () => {
  const ariel = await aPerson("Ariel");
  const id = await sendDirect(ariel, [ariel], "first");
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");

  expect(await edit(ariel, id, { content: "x", prev_content_sha256: sha("other") })).toMatchObject(
    refused("'prev_content_sha256' value does not match the expected value.", "EXPECTATION_MISMATCH"),
  );
  expect((await edit(ariel, id, { content: "x", prev_content_sha256: sha("first") })).status).toBe(200);
});

test.each([
  ["no parameters", {}, "Nothing to change"],
  ["a topic for a direct message", { topic: "x" }, "Direct messages cannot have topics."],
  ["a channel for a direct message", { stream_id: 1 }, "Direct messages cannot be moved to channels."],
  [
    "a mode without a move",
    { content: "x", propagate_mode: "change_all" },
    "Invalid propagate_mode without topic edit",
  ],
  ["an unknown mode", { content: "x", propagate_mode: "change_some" }, "Invalid propagate_mode"],
  ["null bytes", { content: "a\0b" }, "Message must not contain null bytes"],
])("an edit with %s is refused", async (_, params, msg) => {
  const ariel = await aPerson("Ariel");
  const id = await sendDirect(ariel, [ariel]);

  expect(await edit(ariel, id, params)).toMatchObject(refused(msg));
});

test("an edit that changes content and channel together is refused", async () => {
  const ariel = await aPerson("Ariel");
  const [isle, sea] = [await aChannel("isle", [ariel]), await aChannel("sea", [ariel])];
  const id = await sendToChannel(ariel, isle, "songs");

  expect(await edit(ariel, id, { content: "x", stream_id: sea.id })).toMatchObject(
    refused("Cannot change message content while changing channel"),
  );
});

test("blank content empties the message, long content is truncated, and unchanged content changes nothing", async () => {
  const ariel = await aPerson("Ariel");
  const id = await sendDirect(ariel, [ariel], "first");

  await edit(ariel, id, { content: "first" });
  expect(await fetchMessage(ariel, id)).not.toHaveProperty("edit_history");
  await edit(ariel, id, { content: "  \n " });
  expect((await fetchMessage(ariel, id)).content).toBe("(deleted)");
  await edit(ariel, id, { content: "y".repeat(10_001) });
  expect((await fetchMessage(ariel, id)).content).toMatch(/^y{9980}\n\[message truncated\]$/);
});

test("an edit of content and topic makes one history entry", async () => {
  const ariel = await aPerson("Ariel");
  const isle = await aChannel("isle", [ariel]);
  const id = await sendToChannel(ariel, isle, "songs", "first");

  await edit(ariel, id, { content: "second", topic: "dances", send_notification_to_new_thread: false });

  const message = await fetchMessage(ariel, id);
  expect(message).toMatchObject({ content: "second", subject: "dances" });
  expect(message.edit_history).toMatchObject([{ prev_content: "first", prev_topic: "songs", topic: "dances" }]);
});

test("of fifty concurrent edits none is lost: each text is in the history, and the last one is the content", {
  timeout: 180_000,
}, async () => {
  const ariel = await aPerson("Ariel");
  const ids = await Promise.all(Array.from({ length: 10 }, () => sendDirect(ariel, [ariel], "first")));

  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, n) => edit(ariel, ids[n % 10] as number, { content: `text ${n}` })),
  );

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 200));
  for (const [index, id] of ids.entries()) {
    const message = await fetchMessage(ariel, id);
    const texts = [message.content, ...message.edit_history.map((entry: any) => entry.prev_content)];
    expect(new Set(texts)).toEqual(new Set(["first", ...[0, 10, 20, 30, 40].map((n) => `text ${n + index}`)]));
  }
});

costTest(
  "an edit costs at most 16 write units (the message, its former content and the event) and 6 read units",
  async () => {
    const ariel = await aPerson("Ariel");
    const isle = await aChannel("isle", [ariel]);
    const id = await sendToChannel(ariel, isle, "songs", "x".repeat(300));

    const { cost } = await edit(ariel, id, { content: "y".repeat(300) });

    expect(cost.writeUnits).toBeLessThanOrEqual(16);
    expect(cost.readUnits).toBeLessThanOrEqual(6);
  },
);
