import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newSubscription } from "../../shared/channels/defaults.ts";
import { type Channel, createChannel } from "../../shared/store/channels/channels.ts";
import { createSubscription } from "../../shared/store/channels/subscriptions.ts";
import { addFlags } from "../../shared/store/messages/message-flags.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import type { CallOptions, Reply } from "../support/http.ts";
import { EngineFile } from "../support/table/engine-file.ts";
import { historyItems, itemsOf, ordinaryText, takeMessageIds } from "../support/table/seeding.ts";
import { inSeconds, untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, type Person, reportsCosts } from "../support/world.ts";

/**
 * The budgets of docs/data-model.md in DynamoDB's request units, with 100,000 messages in one channel and 1,000 other
 * channels, on a private host.
 */

const length = 100_000;
const others = 1000;
const crowd = 10_000;

let host: PrivateHost;
let henry: Person;
let exeter: Person;
let fluellen: Person;
let agincourt: Channel;
let harfleur: Channel;
let streets: Channel[];
let first: number;
const last = () => first + length - 1;

/** A user of the private host. */
async function onHost(name: string): Promise<Person> {
  const person = await aPerson(name);
  const call = (method: string, path: string, params = {}, options: CallOptions = {}) =>
    person.call(method, path, params, { url: host.url, ...options });
  return { ...person, call };
}

const mentioned = (index: number) => index % 900 === 0;

async function fillTheTable() {
  const file = new EngineFile(host.dataFolder, host.environment.TABLE_NAME as string);
  const history = {
    channel: agincourt,
    senderId: (index: number) => (index % 23 === 0 ? fluellen.id : exeter.id),
    topic: (index: number) => `battle ${index % 10}`,
    opening: (index: number) =>
      mentioned(index) ? `<span class="user-mention" data-user-id="${henry.id}">@Henry</span> ` : "",
  };
  for (const items of historyItems(first, length, history)) file.put(items);
  const [channelId, recipientId] = [await takeIds("channel", others), await takeIds("recipient", others)];
  streets = Array.from({ length: others }, (_, index) => ({
    ...agincourt,
    id: channelId + index,
    recipientId: recipientId + index,
    name: `street ${index}`,
  }));
  for (let start = 0; start < others; start += 100) {
    const part = streets.slice(start, start + 100);
    file.put(itemsOf(part.flatMap((channel) => createChannel(channel, { subscriberCount: 2 }))));
    const messages = await takeMessageIds(500);
    part.forEach((channel, index) => {
      const quiet = { channel, senderId: () => exeter.id };
      for (const items of historyItems(messages + 5 * index, 5, quiet)) file.put(items);
    });
  }
  // Henry is in fifty of the channels, Exeter in all of them.
  const joined = [
    ...streets.slice(0, 49).map(({ id }) => newSubscription(henry.id, id, 1)),
    ...streets.map(({ id }) => newSubscription(exeter.id, id, 1)),
    ...Array.from({ length: crowd }, (_, index) => newSubscription(1_000_000 + index, harfleur.id, 1)),
  ];
  file.put(itemsOf(joined.map(createSubscription)));
  file.close();
}

const ask = (person: Person, narrow: unknown[], extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow, ...extra });
const inChannel = () => ({ operator: "channel", operand: agincourt.id });

function within(reply: Reply, reads: number, writes = 0, messages?: number) {
  expect(reply.body.msg).toBe("");
  if (messages !== undefined) expect(reply.body.messages).toHaveLength(messages);
  // Near the end of a partition of the log two partitions are read instead of one.
  expect(reply.cost.readUnits).toBeLessThanOrEqual(reads + 1);
  expect(reply.cost.writeUnits).toBeLessThanOrEqual(writes);
}

describe.skipIf(!reportsCosts())("a long history (where costs are reported)", () => {
  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    [henry, exeter, fluellen] = [await onHost("Henry"), await onHost("Exeter"), await onHost("Fluellen")];
    agincourt = await aChannel("agincourt", [henry, exeter, fluellen]);
    harfleur = await aChannel("harfleur", [henry]);
    first = await takeMessageIds(length);
    await fillTheTable();
    // From then on the senders' names are cached, until one of them changes.
    await ask(henry, [inChannel()]);
    await untilNothingIsRecent();
  }, 240_000);
  afterAll(() => host?.stop());

  test("a hundred messages at any position of the channel", async () => {
    within(await ask(henry, [inChannel()]), 15, 0, 100);
    within(await ask(henry, [inChannel()], { anchor: first + length / 2 }), 15, 0, 101);
    within(await ask(henry, [inChannel()], { anchor: "oldest", num_before: 0, num_after: 100 }), 15, 0, 100);
  });

  test("the newest 50,000 unread messages at registration", async () => {
    const reply = await henry.call("POST", "/register", { event_types: ["message", "update_message_flags"] });

    const { streams: groups, old_unreads_missing } = reply.body.unread_msgs;
    const ids = groups.flatMap((group: any) => group.unread_message_ids).sort((a: number, b: number) => a - b);
    expect(old_unreads_missing).toBe(true);
    expect(ids).toHaveLength(50_000);
    expect(ids.at(0)).toBe(last() - (50_000 - 49 * 5) + 1);
    within(reply, 3_610, 2);
    // Pages side by side: one after the other they would be more than fifty.
    expect(reply.cost.stages).toBeLessThanOrEqual(16);
  });

  test("a hundred messages of a topic, of a sender, and of the combined feed of fifty channels", async () => {
    within(await ask(henry, [inChannel(), { operator: "topic", operand: "battle 3" }]), 15, 0, 100);
    within(await ask(henry, [{ operator: "sender", operand: fluellen.id }]), 60, 0, 100);
    within(await ask(henry, []), 90, 0, 100);
  });

  test("a hundred mentions, and a hundred starred messages", async () => {
    const ids = Array.from({ length }, (_, index) => index)
      .filter(mentioned)
      .map((index) => first + index);
    for (let start = 0; start < ids.length; start += 50)
      await transact(ids.slice(start, start + 50).map((id) => addFlags(henry.id, id, ["mentioned"])));
    const starred = Array.from({ length: 120 }, (_, index) => first + index * 800);
    await henry.do("POST", "/messages/flags", { messages: starred, op: "add", flag: "starred" });
    await untilNothingIsRecent();

    within(await ask(henry, [["is", "mentioned"]]), 60, 0, 100);
    within(await ask(henry, [["is", "starred"]]), 60, 0, 100);
  });

  test("a channel message costs the same with ten thousand subscribers as with one, a direct one by recipient", async () => {
    const alone = await aChannel("alone", [henry]);
    const send = (to: unknown, type = "channel") =>
      henry.call("POST", "/messages", { type, to, topic: "breach", content: ordinaryText });
    await Promise.all([send(alone.id), send(harfleur.id), send([exeter.id, fluellen.id], "direct")]);
    await untilNothingIsRecent();

    const [one, many] = [await send(alone.id), await send(harfleur.id)];

    within(one, 5, 12);
    within(many, 5, 12);
    expect(many.cost.writeUnits).toBe(one.cost.writeUnits);
    within(await send(agincourt.id), 5, 12);
    within(await send([exeter.id, fluellen.id], "direct"), 10, 12 + 2 * 3);
  });

  test("a hundred direct messages, of all conversations and of one", async () => {
    const send = () => henry.call("POST", "/messages", { type: "direct", to: [exeter.id], content: ordinaryText });
    await send();
    for (let sent = 0; sent < 100; sent += 20) await Promise.all(Array.from({ length: 20 }, send));

    within(await ask(exeter, [["is", "dm"]]), 60, 0, 100);
    within(await ask(exeter, [{ operator: "dm", operand: [henry.id] }]), 60, 0, 100);
  });

  test("marking a thousand messages as read, adjacent or scattered", async () => {
    const every = (step: number) => Array.from({ length: 1000 }, (_, index) => first + index * step);
    const mark = (person: Person, messages: number[]) =>
      person.call("POST", "/messages/flags", { messages, op: "add", flag: "read" });

    const [near, far] = [await mark(exeter, every(1)), await mark(exeter, every(100))];

    expect(near.body.messages).toHaveLength(1000);
    expect(far.body.messages).toHaveLength(990);
    within(near, 10, 20);
    within(far, 10, 20);
  });

  test("the first unread message if almost all or no messages are read", async () => {
    for (let start = first; start <= last() - 100; start += 5000) {
      const messages = Array.from({ length: Math.min(5000, last() - 99 - start) }, (_, index) => start + index);
      const body = `op=add&flag=read&messages=${JSON.stringify(messages)}`;
      expect((await fluellen.call("POST", "/messages/flags", {}, { body })).status).toBe(200);
    }
    await untilNothingIsRecent();
    const alone = { num_before: 0, num_after: 0 };
    const find = (person: Person, anchor: string) => ask(person, [inChannel()], { ...alone, anchor });

    const [read, unread] = [await find(fluellen, "first_unread"), await find(henry, "first_unread")];

    expect([read.body.anchor, unread.body.anchor]).toEqual([last() - 99, first]);
    within(read, (await find(fluellen, "newest")).cost.readUnits + 10);
    within(unread, (await find(henry, "newest")).cost.readUnits + 10);
  });

  test("a reaction, an edit, a subscription, a scheduled message", async () => {
    const reactions = `/messages/${first + 23}/reactions`;
    within(await henry.call("POST", reactions, { emoji_name: "heart" }), 6, 8);
    within(await henry.call("DELETE", reactions, { emoji_name: "heart" }), 6, 8);
    within(
      await fluellen.call("PATCH", `/messages/${first + 23}`, { content: "Kill the poys and the luggage!" }),
      6,
      12,
    );
    within(await henry.call("POST", "/users/me/subscriptions", { subscriptions: [{ name: "street 900" }] }), 8, 8);
    const scheduled = {
      type: "channel",
      to: agincourt.id,
      topic: "breach",
      content: ordinaryText,
      scheduled_delivery_timestamp: inSeconds(3600),
    };
    within(await henry.call("POST", "/scheduled_messages", scheduled), 4, 6);
  });

  test("a presence ping and a poll for events", async () => {
    const ping = (last_update_id: number) =>
      henry.call("POST", "/users/me/presence", { status: "active", last_update_id });
    const first = await ping(-1);
    within(await ping(first.body.presence_last_update_id), 5, 2);
    const { queue_id, last_event_id } = (await henry.call("POST", "/register", { event_types: ["message"] })).body;
    const look = { queue_id, last_event_id, dont_block: true };
    await henry.do("GET", "/events", look);
    within(await henry.call("GET", "/events", look), 3.5);
  });
});
