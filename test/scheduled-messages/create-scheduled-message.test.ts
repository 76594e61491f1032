import { expect, test } from "vitest";
import { eventually, inSeconds, soon } from "../support/waiting.ts";
import { aChannel, aPerson, call, type Person } from "../support/world.ts";

const newest = { anchor: "newest", num_before: 100, num_after: 0, apply_markdown: false };

const contentsFor = async (reader: Person, channelId: number): Promise<string[]> => {
  const { body } = await reader.call("GET", "/messages", {
    ...newest,
    narrow: [{ operator: "channel", operand: channelId }],
  });
  return body.messages.map(({ content }: { content: string }) => content);
};

test.concurrent("a scheduled message is delivered once, not before its time", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const wood = await aChannel("wood", [puck, oberon]);
  const deliverAt = soon();

  const scheduled = await puck.call("POST", "/scheduled_messages", {
    type: "channel",
    to: wood.id,
    topic: "girdles",
    content: "I'll put a girdle round about the earth",
    scheduled_delivery_timestamp: deliverAt,
  });

  expect(scheduled.body).toEqual({ result: "success", msg: "", scheduled_message_id: expect.any(Number) });
  expect(await contentsFor(oberon, wood.id)).toEqual([]);
  await eventually(async () => (await contentsFor(oberon, wood.id)).length > 0);
  const { body } = await oberon.call("GET", "/messages", newest);
  expect(body.messages).toHaveLength(1);
  expect(body.messages[0]).toMatchObject({
    content: "I'll put a girdle round about the earth",
    subject: "girdles",
    sender_id: puck.id,
  });
  expect(body.messages[0].timestamp).toBeGreaterThanOrEqual(deliverAt);
  expect((await puck.call("GET", "/scheduled_messages")).body.scheduled_messages).toEqual([]);
});

test.concurrent("a scheduled direct message goes to its recipients and its sender", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];

  const scheduled = await puck.call("POST", "/scheduled_messages", {
    type: "direct",
    to: [oberon.id],
    content: "Here, villain",
    scheduled_delivery_timestamp: soon(),
  });

  expect(scheduled).toMatchObject({ status: 200 });
  const arrived = await eventually(async () => (await oberon.call("GET", "/messages", newest)).body.messages[0]);
  expect(arrived).toMatchObject({ type: "private", content: "Here, villain", sender_id: puck.id });
});

test("scheduled messages are listed only for their owner, in the order of their delivery times", async () => {
  const [puck, oberon] = [await aPerson("Puck"), await aPerson("Oberon")];
  const wood = await aChannel("wood", [puck, oberon]);
  const laterTime = inSeconds(7200);
  const soonerTime = inSeconds(3600);

  const first = await puck.call("POST", "/scheduled_messages", {
    type: "stream",
    to: wood.id,
    topic: "(no topic)",
    content: "later\n",
    scheduled_delivery_timestamp: laterTime,
  });
  const second = await puck.call("POST", "/scheduled_messages", {
    type: "private",
    to: [oberon.id],
    topic: "ignored",
    content: "sooner",
    scheduled_delivery_timestamp: soonerTime,
  });

  const { body } = await puck.call("GET", "/scheduled_messages");
  expect(body.scheduled_messages).toEqual([
    {
      scheduled_message_id: second.body.scheduled_message_id,
      type: "private",
      to: [oberon.id],
      content: "sooner",
      rendered_content: "<p>sooner</p>",
      scheduled_delivery_timestamp: soonerTime,
      failed: false,
    },
    {
      scheduled_message_id: first.body.scheduled_message_id,
      type: "stream",
      to: wood.id,
      topic: "",
      content: "later",
      rendered_content: "<p>later</p>",
      scheduled_delivery_timestamp: laterTime,
      failed: false,
    },
  ]);
  expect((await oberon.call("GET", "/scheduled_messages")).body.scheduled_messages).toEqual([]);
});

const future = inSeconds(3600);
const refused: [string, Record<string, unknown>, Record<string, unknown>][] = [
  [
    "a time in the past",
    { scheduled_delivery_timestamp: inSeconds(-1) },
    { code: "BAD_REQUEST", msg: "Scheduled delivery time must be in the future." },
  ],
  [
    "no time",
    { scheduled_delivery_timestamp: undefined },
    { code: "REQUEST_VARIABLE_MISSING", var_name: "scheduled_delivery_timestamp" },
  ],
  [
    "a time that is text",
    { scheduled_delivery_timestamp: "tomorrow" },
    { code: "BAD_REQUEST", msg: "scheduled_delivery_timestamp is not an integer" },
  ],
  [
    "a time that is too large",
    { scheduled_delivery_timestamp: 1e15 },
    { code: "BAD_REQUEST", msg: "scheduled_delivery_timestamp is too large" },
  ],
  ["an unknown channel", { to: 99_999_999 }, { code: "STREAM_DOES_NOT_EXIST", stream_id: 99_999_999 }],
  ["a channel's name", { to: "wood" }, { code: "BAD_REQUEST", msg: "to is not valid JSON" }],
  ["a list where a channel belongs", { to: [1] }, { code: "BAD_REQUEST", msg: "to is not an integer" }],
  ["an unknown user", { type: "direct", to: [99_999_999] }, { code: "BAD_REQUEST", msg: "Invalid user ID 99999999" }],
  ["a number where users belong", { type: "direct", to: 7 }, { code: "BAD_REQUEST", msg: "to is not a list" }],
  ["an address instead of a user ID", { type: "direct", to: ["puck@globe.test"] }, { code: "BAD_REQUEST" }],
  ["no topic", { topic: undefined }, { code: "BAD_REQUEST", msg: "Missing topic" }],
  ["no content", { content: undefined }, { code: "REQUEST_VARIABLE_MISSING", var_name: "content" }],
  ["empty content", { content: "\n" }, { code: "BAD_REQUEST", msg: "Message must not be empty" }],
  ["an unknown type", { type: "fairy" }, { code: "BAD_REQUEST", msg: "Invalid type" }],
];

test.each(refused)("scheduling refuses %s", async (_, overrides, error) => {
  const puck = await aPerson("Puck");
  const wood = await aChannel("wood", [puck]);

  const reply = await puck.call("POST", "/scheduled_messages", {
    type: "channel",
    to: wood.id,
    topic: "t",
    content: "c",
    scheduled_delivery_timestamp: future,
    ...overrides,
  });

  expect(reply).toMatchObject({ status: 400, body: { result: "error", ...error } });
});

test("a message that the user may not send is refused", async () => {
  const [puck, quince] = [await aPerson("Puck"), await aPerson("Quince")];
  const bower = await aChannel("bower", [puck], { inviteOnly: true });

  const reply = await quince.call("POST", "/scheduled_messages", {
    type: "channel",
    to: bower.id,
    topic: "t",
    content: "c",
    scheduled_delivery_timestamp: future,
  });

  expect(reply).toMatchObject({ status: 400, body: { msg: `Not authorized to send to channel '${bower.id}'` } });
});

test("text that is too long is truncated", async () => {
  const puck = await aPerson("Puck");

  await puck.do("POST", "/scheduled_messages", {
    type: "direct",
    to: [puck.id],
    content: "é".repeat(10_001),
    scheduled_delivery_timestamp: future,
  });

  const { body } = await puck.call("GET", "/scheduled_messages");
  expect([...body.scheduled_messages[0].content]).toHaveLength(10_000);
  expect(body.scheduled_messages[0].to).toEqual([puck.id]);
});

test("requests without credentials are refused", async () => {
  expect(await call("POST", "/scheduled_messages", {})).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
  expect(await call("GET", "/scheduled_messages", {})).toMatchObject({ status: 401, body: { code: "UNAUTHORIZED" } });
});
