import { expect, test } from "vitest";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };
const contentsFor = async (reader: Person): Promise<string[]> =>
  (await reader.call("GET", "/messages", newest)).body.messages.map(({ content }: { content: string }) => content);

async function schedule(owner: Person, params: Record<string, unknown>): Promise<number> {
  const { status, body } = await owner.call("POST", "/scheduled_messages", params);
  if (status !== 200) throw new Error(body.msg);
  return body.scheduled_message_id;
}

test.concurrent("an edited message is delivered once with its new content, not at its old time", async () => {
  const [bottom, titania] = [await aPerson("Bottom"), await aPerson("Titania")];
  const id = await schedule(bottom, {
    type: "direct",
    to: [titania.id],
    content: "old",
    scheduled_delivery_timestamp: soon(),
  });

  const edited = await bottom.call("PATCH", `/scheduled_messages/${id}`, {
    content: "new",
    scheduled_delivery_timestamp: inSeconds(8),
  });

  expect(edited.body).toEqual({ result: "success", msg: "" });
  await eventually(async () => (await contentsFor(titania)).length > 0);
  expect(await contentsFor(titania)).toEqual(["new"]);
});

test.concurrent("fields that are not in the edit are kept", async () => {
  const [bottom, titania] = [await aPerson("Bottom"), await aPerson("Titania")];
  const wood = await aChannel("wood", [bottom, titania]);
  const deliverAt = inSeconds(3600);
  const id = await schedule(bottom, {
    type: "channel",
    to: wood.id,
    topic: "asses",
    content: "text",
    scheduled_delivery_timestamp: deliverAt,
  });

  await bottom.do("PATCH", `/scheduled_messages/${id}`, { topic: "ears" });
  const [afterTopic] = (await bottom.call("GET", "/scheduled_messages")).body.scheduled_messages;
  await bottom.do("PATCH", `/scheduled_messages/${id}`, { type: "direct", to: [titania.id] });
  const [afterType] = (await bottom.call("GET", "/scheduled_messages")).body.scheduled_messages;

  expect(afterTopic).toEqual({
    scheduled_message_id: id,
    type: "stream",
    to: wood.id,
    topic: "ears",
    content: "text",
    rendered_content: "<p>text</p>",
    scheduled_delivery_timestamp: deliverAt,
    failed: false,
  });
  expect(afterType).toEqual({
    scheduled_message_id: id,
    type: "private",
    to: [titania.id],
    content: "text",
    rendered_content: "<p>text</p>",
    scheduled_delivery_timestamp: deliverAt,
    failed: false,
  });
});

test.concurrent.each([
  ["no parameters", {}, { status: 400, body: { code: "BAD_REQUEST", msg: "Nothing to change" } }],
  [
    "a time in the past",
    { scheduled_delivery_timestamp: 1 },
    { status: 400, body: { msg: "Scheduled delivery time must be in the future." } },
  ],
  [
    "a type without recipients",
    { type: "direct" },
    { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: "to" } },
  ],
  [
    "a channel without a topic",
    { type: "channel", to: 1 },
    { status: 400, body: { code: "REQUEST_VARIABLE_MISSING", var_name: "topic" } },
  ],
  [
    "an unknown channel",
    { type: "channel", to: 99_999_999, topic: "t" },
    { status: 400, body: { code: "STREAM_DOES_NOT_EXIST", stream_id: 99_999_999 } },
  ],
  ["an unknown user", { type: "direct", to: [99_999_999] }, { status: 400, body: { msg: "Invalid user ID 99999999" } }],
  ["an empty text", { content: " " }, { status: 400, body: { msg: "Message must not be empty" } }],
])("an edit with %s is refused and changes nothing", async (_, edit, expected) => {
  const bottom = await aPerson("Bottom");
  const id = await schedule(bottom, {
    type: "direct",
    to: [bottom.id],
    content: "text",
    scheduled_delivery_timestamp: inSeconds(3600),
  });
  const before = (await bottom.call("GET", "/scheduled_messages")).body;

  expect(await bottom.call("PATCH", `/scheduled_messages/${id}`, edit)).toMatchObject(expected);
  expect((await bottom.call("GET", "/scheduled_messages")).body).toEqual(before);
});

test.concurrent("editing another user's scheduled message returns the error for unknown messages", async () => {
  const [bottom, quince] = [await aPerson("Bottom"), await aPerson("Quince")];
  const id = await schedule(bottom, {
    type: "direct",
    to: [bottom.id],
    content: "text",
    scheduled_delivery_timestamp: inSeconds(3600),
  });

  const byAnotherUser = await quince.call("PATCH", `/scheduled_messages/${id}`, { content: "x" });
  const unknown = await quince.call("PATCH", "/scheduled_messages/99999999", { content: "x" });
  const malformedId = await quince.call("PATCH", "/scheduled_messages/x", { content: "x" });

  expect(byAnotherUser).toMatchObject({
    status: 404,
    body: { code: "BAD_REQUEST", msg: "Scheduled message does not exist" },
  });
  expect(unknown.body).toEqual(byAnotherUser.body);
  expect(malformedId).toMatchObject({ status: 400, body: { msg: "scheduled_message_id is not an integer" } });
});

test.concurrent("concurrent edits of different fields all take effect", async () => {
  const bottom = await aPerson("Bottom");
  const wood = await aChannel("wood", [bottom]);
  const id = await schedule(bottom, {
    type: "channel",
    to: wood.id,
    topic: "asses",
    content: "text",
    scheduled_delivery_timestamp: inSeconds(3600),
  });
  const edits = [{ topic: "ears" }, { content: "hay" }, { scheduled_delivery_timestamp: inSeconds(7200) }];

  const replies = await Promise.all(edits.map((edit) => bottom.call("PATCH", `/scheduled_messages/${id}`, edit)));

  expect(replies.map(({ body }) => body.msg)).toEqual(["", "", ""]);
  const [edited] = (await bottom.call("GET", "/scheduled_messages")).body.scheduled_messages;
  expect(edited).toMatchObject({ topic: "ears", content: "hay", ...edits[2] });
});
