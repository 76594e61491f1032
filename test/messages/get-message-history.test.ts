import { expect, test } from "vitest";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("the history lists all former versions, oldest first", async () => {
  const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
  const [hall, heath] = [await aChannel("hall", [lear, kent]), await aChannel("heath", [lear, kent])];
  const id = await sendToChannel(lear, hall, "love", "first");
  const move = { send_notification_to_new_thread: false };
  await lear.do("PATCH", `/messages/${id}`, { content: "second" });
  await kent.do("PATCH", `/messages/${id}`, { ...move, topic: "storm", stream_id: heath.id });

  const { message_history } = (await kent.call("GET", `/messages/${id}/history`)).body;

  const timestamp = expect.any(Number);
  expect(message_history).toEqual([
    { topic: "love", content: "first", rendered_content: "<p>first</p>", user_id: lear.id, timestamp },
    {
      topic: "love",
      content: "second",
      rendered_content: "<p>second</p>",
      user_id: lear.id,
      timestamp,
      prev_content: "first",
      prev_rendered_content: "<p>first</p>",
      content_html_diff:
        '<div><p><span class="highlight_text_inserted">second</span><span class="highlight_text_deleted">first</span></p></div>',
    },
    {
      topic: "storm",
      content: "second",
      rendered_content: "<p>second</p>",
      user_id: kent.id,
      timestamp,
      prev_topic: "love",
      stream: heath.id,
      prev_stream: hall.id,
    },
  ]);
});

test.each([
  [
    "content before edit",
    "content after edit",
    '<p>content <span class="highlight_text_inserted">after</span> <span class="highlight_text_deleted">before</span> edit</p>',
  ],
  [
    "one\n\ntwo three",
    "one\n\ntwo **new** three",
    '<p>one</p>\n<p>two <strong><span class="highlight_text_inserted">new</span></strong> three</p>',
  ],
  ["once", "once more", '<p>once <span class="highlight_text_inserted">more</span></p>'],
  ["keep this `all`", "keep `all`", '<p>keep <span class="highlight_text_deleted">this</span> <code>all</code></p>'],
])("the diff of an edit from %j to %j shows what changed", async (before, after, diff) => {
  const lear = await aPerson("Lear");
  const id = await sendToChannel(lear, await aChannel("hall", [lear]), "love", before);
  await lear.do("PATCH", `/messages/${id}`, { content: after });

  const { message_history } = (await lear.call("GET", `/messages/${id}/history`)).body;

  expect(message_history[1].content_html_diff).toBe(`<div>${diff}</div>`);
});

test("the diff of two long unrelated texts replaces the one with the other", async () => {
  const lear = await aPerson("Lear");
  const id = await sendToChannel(lear, await aChannel("hall", [lear]), "love", "howl ".repeat(1900));
  await lear.do("PATCH", `/messages/${id}`, { content: "never ".repeat(1600) });

  const { message_history } = (await lear.call("GET", `/messages/${id}/history`)).body;

  expect(message_history[1].content_html_diff).toMatch(
    /^<div><p><span class="highlight_text_inserted">never.*<\/span><span class="highlight_text_deleted">howl.*<\/p><\/div>$/s,
  );
});

test("clients without support for the empty topic see its display name", async () => {
  const lear = await aPerson("Lear");
  const hall = await aChannel("hall", [lear]);
  const id = await sendToChannel(lear, hall, "");
  const topicIn = async (params: Record<string, unknown>) =>
    (await lear.call("GET", `/messages/${id}/history`, params)).body.message_history[0].topic;

  expect(await topicIn({})).toBe("general chat");
  expect(await topicIn({ allow_empty_topic_name: true })).toBe("");
});

test("the history of a message that the caller may not read is refused", async () => {
  const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
  const id = await sendDirect(lear, [lear]);

  expect(await kent.call("GET", `/messages/${id}/history`)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "Invalid message(s)" },
  });
});
