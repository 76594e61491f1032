import { expect, test } from "vitest";
import { say, tell } from "../support/messages.ts";
import { aChannel, aPerson } from "../support/world.ts";

test("lists what a message has been, oldest first", async () => {
  const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
  const [hall, heath] = [await aChannel("hall", [lear, kent]), await aChannel("heath", [lear, kent])];
  const id = await say(lear, hall, "love", "first");
  const move = { send_notification_to_new_thread: false };
  await lear.call("PATCH", `/messages/${id}`, { content: "second" });
  await kent.call("PATCH", `/messages/${id}`, { ...move, topic: "storm", stream_id: heath.id });

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

test("the empty topic has its display name for clients that do not know it", async () => {
  const lear = await aPerson("Lear");
  const hall = await aChannel("hall", [lear]);
  const id = await say(lear, hall, "");
  const topicIn = async (params: Record<string, unknown>) =>
    (await lear.call("GET", `/messages/${id}/history`, params)).body.message_history[0].topic;

  expect(await topicIn({})).toBe("general chat");
  expect(await topicIn({ allow_empty_topic_name: true })).toBe("");
});

test("of a message that one may not read there is no history", async () => {
  const [lear, kent] = [await aPerson("Lear"), await aPerson("Kent")];
  const id = await tell(lear, [lear]);

  expect(await kent.call("GET", `/messages/${id}/history`)).toMatchObject({
    status: 400,
    body: { code: "BAD_REQUEST", msg: "Invalid message(s)" },
  });
});
