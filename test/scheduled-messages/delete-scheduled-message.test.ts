import { expect, test } from "vitest";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aPerson } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };

test.concurrent("a cancelled message is not delivered", async () => {
  const [lear, fool] = [await aPerson("Lear"), await aPerson("Fool")];
  const schedule = (content: string, scheduled_delivery_timestamp: number) =>
    lear.call("POST", "/scheduled_messages", { type: "direct", to: [fool.id], content, scheduled_delivery_timestamp });
  const receivedContents = async () =>
    (await fool.call("GET", "/messages", newest)).body.messages.map(({ content }: { content: string }) => content);
  const deliverAt = soon();
  const { body } = await schedule("Nothing", deliverAt);

  const cancelled = await lear.call("DELETE", `/scheduled_messages/${body.scheduled_message_id}`);

  expect(cancelled.body).toEqual({ result: "success", msg: "" });
  // The arrival of a message that was due later shows that the time of the cancelled one has passed.
  expect(await schedule("Nothing will come of nothing", deliverAt + 2)).toMatchObject({ status: 200 });
  await eventually(async () => (await receivedContents()).length > 0);
  expect(await receivedContents()).toEqual(["Nothing will come of nothing"]);
  expect((await lear.call("GET", "/scheduled_messages")).body.scheduled_messages).toEqual([]);
});

test.concurrent("a second cancellation, and one of another user's message, get the error for unknown messages", async () => {
  const [lear, fool] = [await aPerson("Lear"), await aPerson("Fool")];
  const { body } = await lear.call("POST", "/scheduled_messages", {
    type: "direct",
    to: [fool.id],
    content: "Nothing",
    scheduled_delivery_timestamp: inSeconds(3600),
  });
  const path = `/scheduled_messages/${body.scheduled_message_id}`;

  expect(await fool.call("DELETE", path)).toMatchObject({
    status: 404,
    body: { code: "BAD_REQUEST", msg: "Scheduled message does not exist" },
  });
  expect((await lear.call("DELETE", path)).status).toBe(200);
  expect((await lear.call("DELETE", path)).status).toBe(404);
});

test.concurrent("of two concurrent cancellations one succeeds", async () => {
  const lear = await aPerson("Lear");
  const { body } = await lear.call("POST", "/scheduled_messages", {
    type: "direct",
    to: [lear.id],
    content: "Never, never",
    scheduled_delivery_timestamp: inSeconds(3600),
  });
  const path = `/scheduled_messages/${body.scheduled_message_id}`;

  const replies = await Promise.all([lear.call("DELETE", path), lear.call("DELETE", path), lear.call("DELETE", path)]);

  expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
});
