import { beforeAll, expect, test } from "vitest";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { listen } from "../support/listener.ts";
import { aChannel, aPerson, type Person } from "../support/world.ts";

let prospero: Person;
let miranda: Person;
let stranger: Person;
let island: Channel;
beforeAll(async () => {
  [prospero, miranda, stranger] = await Promise.all([aPerson("Prospero"), aPerson("Miranda"), aPerson("Stranger")]);
  island = await aChannel("island", [prospero, miranda], { inviteOnly: true });
});

const listenForTyping = (person: Person, capabilities: Record<string, boolean> = {}) =>
  listen(person, {
    event_types: ["typing"],
    fetch_event_types: [],
    client_capabilities: { notification_settings_null: true, ...capabilities },
  });
const type = (person: Person, params: Record<string, unknown>) => person.call("POST", "/typing", params);

test("typing events go to the participants of a conversation, including the sender's other clients, and nobody else", async () => {
  const listeners = await Promise.all([miranda, prospero, stranger].map((person) => listenForTyping(person)));

  expect((await type(prospero, { op: "start", to: [miranda.id] })).body).toEqual({ result: "success", msg: "" });
  await type(prospero, { op: "stop", type: "direct", to: [miranda.id] });

  const people = [prospero, miranda].map(({ id, email }) => ({ user_id: id, email }));
  const event = {
    type: "typing",
    id: expect.any(Number),
    message_type: "direct",
    sender: people[0],
    recipients: people,
  };
  for (const listener of listeners.slice(0, 2)) {
    expect(await listener.next("typing")).toEqual({ ...event, op: "start" });
    expect(await listener.next("typing")).toEqual({ ...event, op: "stop" });
  }
  expect(await listeners[2]?.poll()).toEqual([]);
});

test("typing events in a topic go to the channel's subscribers whose client supports them", async () => {
  const [supporting, unsupporting, nonSubscriber] = await Promise.all([
    listenForTyping(miranda, { stream_typing_notifications: true }),
    listenForTyping(miranda),
    listenForTyping(stranger, { stream_typing_notifications: true }),
  ]);

  await type(prospero, { op: "start", type: "channel", stream_id: island.id, topic: "magic" });

  expect(await supporting.poll()).toEqual([
    {
      type: "typing",
      id: expect.any(Number),
      op: "start",
      message_type: "stream",
      sender: { user_id: prospero.id, email: prospero.email },
      stream_id: island.id,
      topic: "magic",
    },
  ]);
  expect(await unsupporting.poll()).toEqual([]);
  expect(await nonSubscriber.poll()).toEqual([]);
});

test.each([
  ["op", { to: [1] }, "Missing 'op' argument"],
  ["op", { op: "pause", to: [1] }, "Invalid op"],
  ["type", { op: "start", type: "shout", to: [1] }, "Invalid type"],
  ["to", { op: "start", to: [] }, "Empty 'to' list"],
  ["to", { op: "start" }, "Missing 'to' argument"],
  ["to", { op: "start", to: [1_000_000_007] }, "Invalid user ID 1000000007"],
  ["stream_id", { op: "start", type: "stream", topic: "t" }, "Missing channel ID"],
  ["stream_id", { op: "start", type: "stream", stream_id: 1_000_000_007, topic: "t" }, "Invalid channel ID"],
  ["topic", { op: "start", type: "stream", stream_id: 1 }, "Missing topic"],
])("a missing or invalid %s is refused: %j", async (_, params, msg) => {
  const { status, body } = await type(prospero, params);

  expect([status, body.msg]).toEqual([400, msg]);
});

test("typing in a channel that the caller may not read is refused", async () => {
  const { body } = await type(stranger, { op: "start", type: "stream", stream_id: island.id, topic: "t" });

  expect(body).toMatchObject({ code: "BAD_REQUEST", msg: "Invalid channel ID" });
});
