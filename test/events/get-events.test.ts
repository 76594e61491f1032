import { beforeAll, describe, expect, test } from "vitest";
import { nowSeconds } from "../../shared/base/time.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { updateItem } from "../../shared/store/table/single-writes.ts";
import { type Listener, listen } from "../support/listener.ts";
import { sendDirect, sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, costTest, isLocal, type Person } from "../support/world.ts";

let orsino: Person;
let viola: Person;
let illyria: Channel;

beforeAll(async () => {
  [orsino, viola] = await Promise.all([aPerson("Orsino"), aPerson("Viola")]);
  illyria = await aChannel("illyria", [orsino, viola]);
});

test("a message comes as an event, with the flags of the queue's owner", async () => {
  const [sender, receiver] = await Promise.all([listen(orsino), listen(viola)]);

  const id = await sendToChannel(orsino, illyria, "music", "if *music* be the food of love");

  const event = await receiver.next("message");
  expect(event).toEqual({
    type: "message",
    id: expect.any(Number),
    flags: [],
    message: expect.objectContaining({
      id,
      type: "stream",
      content: "if *music* be the food of love",
      content_type: "text/x-markdown",
      subject: "music",
      stream_id: illyria.id,
      display_recipient: illyria.name,
      sender_id: orsino.id,
      avatar_url: null,
    }),
  });
  expect(event.message.flags).toBeUndefined();
  expect((await sender.next("message")).message.id).toBe(id);
});

/** Makes a queue's last poll older. */
const age = ({ queueId }: Listener, hours: number) =>
  updateItem({ pk: `USER#${viola.id}`, sk: `QUEUE#${queueId}` }, { set: { usedAt: nowSeconds() - hours * 3600 } });

test("a queue of a phone goes on exactly where it was after eleven hours, and not after thirteen", async () => {
  const kept = await listen(viola, { event_types: ["message"], idle_queue_timeout: "mobile" });
  const other = await listen(viola, { event_types: ["message"] });
  const first = await sendDirect(orsino, [viola], "one");
  await kept.poll();
  const rest = [await sendDirect(orsino, [viola], "two"), await sendDirect(orsino, [viola], "three")];
  const poll = ({ queueId: queue_id, lastEventId: last_event_id }: Listener) =>
    viola.call("GET", "/events", { queue_id, last_event_id, dont_block: true });

  await Promise.all([age(kept, 11), age(other, 11)]);
  await kept.poll();
  const expired = await poll(other);
  await age(kept, 13);

  expect(kept.received.map(({ message }) => message.id)).toEqual([first, ...rest]);
  for (const { body } of [expired, await poll(kept)]) expect(body.code).toBe("BAD_EVENT_QUEUE_ID");
});

test.each<[unknown, number]>([
  [undefined, 600],
  [0, 600],
  ["mobile", 43_200],
  ['"mobile"', 43_200],
  [604_800, 604_800],
  [90, 90],
])("the idle time %j is told as %i seconds", async (idle_queue_timeout, seconds) => {
  const { state } = await listen(viola, {
    event_types: [],
    ...(idle_queue_timeout !== undefined && { idle_queue_timeout }),
  });

  expect(state.idle_queue_timeout_secs).toBe(seconds);
  expect(state.ignored_parameters_unsupported).toBeUndefined();
});

test.each([604_801, -1, "desktop", "1h"])("the idle time %j is refused", async (idle_queue_timeout) => {
  const reply = await viola.call("POST", "/register", { event_types: [], idle_queue_timeout });

  expect(reply).toMatchObject({ status: 400, body: { code: "BAD_REQUEST" } });
});

test("a waiting poll is answered when something happens", async () => {
  const listener = await listen(viola, { event_types: ["message"] });
  const waiting = listener.poll({ dont_block: false });

  const id = await sendDirect(orsino, [viola]);

  expect((await waiting).map(({ message }) => message.id)).toEqual([id]);
});

test("events are delivered in order, and again to a client that did not acknowledge them", async () => {
  const listener = await listen(viola, { event_types: ["message"] });
  const ids: number[] = [];
  for (const word of ["one", "two", "three"]) ids.push(await sendDirect(orsino, [viola], word));
  const poll = (last_event_id: number) =>
    viola.call("GET", "/events", { queue_id: listener.queueId, last_event_id, dont_block: true });

  const first = (await poll(-1)).body.events;
  const repeated = (await poll(-1)).body.events;
  const rest = (await poll(first[0].id)).body.events;

  expect(first.map((event: any) => event.message.id)).toEqual(ids);
  expect(repeated).toEqual(first);
  expect(rest).toEqual(first.slice(1));
  expect((await poll(first[2].id)).body.events).toEqual([]);
});

test("a client outside the audience gets no event", async () => {
  const olivia = await aPerson("Olivia");
  const listener = await listen(olivia, { event_types: ["message"] });

  await sendToChannel(orsino, illyria, "music");
  await sendDirect(orsino, [viola]);
  const directMessageId = await sendDirect(orsino, [olivia]);

  await listener.next("message");
  expect(listener.received.map(({ message }) => message.id)).toEqual([directMessageId]);
});

test("message events of a channel are only sent during the subscription", async () => {
  const feste = await aPerson("Feste");
  const listener = await listen(feste, { event_types: ["message"] });
  const join = (method: string) =>
    feste.call(method, "/users/me/subscriptions", {
      subscriptions: method === "DELETE" ? [illyria.name] : [{ name: illyria.name }],
    });
  const ids = { before: await sendToChannel(orsino, illyria, "songs") } as Record<string, number>;
  await join("POST");
  ids.during = await sendToChannel(orsino, illyria, "songs");
  await join("DELETE");
  ids.after = await sendToChannel(orsino, illyria, "songs");
  ids.last = await sendDirect(orsino, [feste]);

  while (listener.received.at(-1)?.message.id !== ids.last) await listener.next("message");

  expect(listener.received.map(({ message }) => message.id)).toEqual([ids.during, ids.last]);
});

test("only the requested event types are sent", async () => {
  const listener = await listen(viola, { event_types: ["scheduled_messages"] });

  await sendDirect(orsino, [viola]);
  await viola.do("POST", "/scheduled_messages", {
    type: "direct",
    to: [orsino.id],
    content: "later",
    scheduled_delivery_timestamp: Math.floor(Date.now() / 1000) + 86_400,
  });

  expect(await listener.next("scheduled_messages")).toMatchObject({ op: "add" });
  expect(listener.received).toHaveLength(1);
});

test("local_message_id is only sent to the client that sent the message", async () => {
  const [sendingClient, otherClient] = await Promise.all([listen(orsino), listen(orsino)]);

  await orsino.do("POST", "/messages", {
    type: "direct",
    to: [viola.id],
    content: "mine",
    queue_id: sendingClient.queueId,
    local_id: "17.01",
  });

  expect(await sendingClient.next("message")).toMatchObject({ local_message_id: "17.01" });
  expect(await otherClient.next("message")).not.toHaveProperty("local_message_id");
});

test("a poll with dont_block and without queue_id opens a queue", async () => {
  const { body } = await viola.call("GET", "/events", { dont_block: true });

  expect(body).toMatchObject({ events: [], queue_id: expect.any(String) });
  expect((await viola.call("GET", "/events", {})).body).toMatchObject({ code: "REQUEST_VARIABLE_MISSING" });
});

describe("a poll with an invalid ID", () => {
  const poll = (person: Person, queue_id: string, last_event_id = -1) =>
    person.call("GET", "/events", { queue_id, last_event_id, dont_block: true });

  test("returns BAD_EVENT_QUEUE_ID for a deleted queue, even right after a successful poll", async () => {
    const { queueId } = await listen(viola);
    await sendDirect(orsino, [viola], "for her alone");
    const ownersReply = (await poll(viola, queueId)).body;

    const otherUsersReply = (await poll(orsino, queueId)).body;
    const repeated = (await poll(viola, queueId)).body;
    await viola.do("DELETE", "/events", { queue_id: queueId });
    const replyAfterDeletion = (await poll(viola, queueId)).body;

    expect(ownersReply.events).not.toEqual([]);
    expect(otherUsersReply).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });
    expect(repeated).toEqual(ownersReply);
    expect(replyAfterDeletion).toMatchObject({ result: "error", code: "BAD_EVENT_QUEUE_ID" });
  });

  test("returns BAD_EVENT_QUEUE_ID for a queue that is unknown, another user's or expired", async () => {
    const [violasQueue, expiringQueue] = await Promise.all([listen(viola), listen(viola, { lifespan_secs: 1 })]);
    const error = (queue_id: string) => ({
      result: "error",
      code: "BAD_EVENT_QUEUE_ID",
      msg: `Bad event queue ID: ${queue_id}`,
      queue_id,
    });

    expect(await poll(viola, "nonsense")).toMatchObject({ status: 400, body: error("nonsense") });
    expect((await poll(orsino, violasQueue.queueId)).body).toEqual(error(violasQueue.queueId));
    await new Promise((resolve) => setTimeout(resolve, 3100));
    expect((await poll(viola, expiringQueue.queueId)).body).toEqual(error(expiringQueue.queueId));
  });

  test("is refused if its last_event_id was never sent", async () => {
    const { queueId } = await listen(viola);

    const { status, body } = await poll(viola, queueId, 1_000_000_000);

    expect([status, body.code, body.msg]).toEqual([400, "BAD_REQUEST", "Event 1000000000 was not in this queue"]);
  });
});

test.skipIf(!isLocal())(
  "a second poll ends the first (immediately only if both are in one process, unlike on AWS)",
  async () => {
    const listener = await listen(viola, { event_types: ["message"] });
    const polls = [1, 2].map((number) => listener.poll({ dont_block: false }).then((events) => ({ number, events })));

    // The host may receive them in either order.
    const ended = await Promise.race(polls);
    const id = await sendDirect(orsino, [viola]);
    const otherPoll = await polls[2 - ended.number];

    expect(ended.events).toEqual([]);
    expect(otherPoll?.events.map(({ message }) => message.id)).toEqual([id]);
  },
);

costTest("a poll without events costs at most four read units, and writes nothing", async () => {
  const quiet = await aPerson("Quiet");
  const { queueId: queue_id } = await listen(quiet, { event_types: ["alert_words"] });

  const { cost } = await quiet.call("GET", "/events", { queue_id, last_event_id: -1, dont_block: true });

  // This includes another read of the log, if another test case has written to it in the meantime.
  expect(cost.readUnits).toBeLessThanOrEqual(4);
  expect(cost.writeUnits).toBe(0);
});

costTest("a poll reads all messages that it returns in one call to the table", async () => {
  const { queueId: queue_id } = await listen(viola, { event_types: ["message"] });
  const ids = await Promise.all(Array.from({ length: 20 }, () => sendToChannel(orsino, illyria, "excess")));

  const { body, cost } = await viola.call("GET", "/events", { queue_id, last_event_id: -1, dont_block: true });

  const received: number[] = body.events.map((event: any) => event.message.id);
  expect(received).toEqual(ids.toSorted((a, b) => a - b));
  // One call each for the account, the queue, the log, the subscription and the message data, and more where a log
  // partition ends among the messages.
  expect(cost.tableCalls).toBeLessThan(ids.length);
});

test("a waiting poll ends when its account is deactivated, but not because of an earlier deactivation", async () => {
  const [feste, admin] = [await aPerson("Feste"), await aPerson("Malvolio", { role: "administrator" })];
  const { queueId: queue_id } = await listen(feste, { event_types: ["message"] });
  const poll = (dont_block: boolean) => feste.call("GET", "/events", { queue_id, last_event_id: -1, dont_block });
  const startedAt = Date.now();
  const waiting = poll(false);

  await admin.do("DELETE", `/users/${feste.id}`);

  expect(await waiting).toMatchObject({
    status: 401,
    body: { code: "UNAUTHORIZED", msg: "Account is deactivated" },
  });
  expect(Date.now() - startedAt).toBeLessThan(20_000);
  await admin.do("POST", `/users/${feste.id}/reactivate`);
  expect(await poll(true)).toMatchObject({ status: 200, body: { events: [] } });
});
