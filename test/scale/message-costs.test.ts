import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { batchesOf } from "../../shared/base/batches.ts";
import { newSubscription } from "../../shared/core/channels/defaults.ts";
import { type Channel, createChannel } from "../../shared/store/channels/channels.ts";
import { createSubscription } from "../../shared/store/channels/subscriptions.ts";
import { addFlags, addImportedFlags } from "../../shared/store/messages/message-flags.ts";
import { takeIds } from "../../shared/store/table/counters.ts";
import { transact } from "../../shared/store/table/transactions.ts";
import { aPrivateHost, type PrivateHost } from "../support/hosts/private-host.ts";
import type { CallOptions, Reply } from "../support/http.ts";
import { seedTable } from "../support/table/seed-table.ts";
import { historyItems, itemsOf, ordinaryText, takeMessageIds } from "../support/table/seeding.ts";
import { inSeconds, untilNothingIsRecent } from "../support/waiting.ts";
import { aChannel, aPerson, type Person, reportsCosts } from "../support/world.ts";

/**
 * Budgets in DynamoDB's request units, with 100,000 messages in one channel and 1,000 other
 * channels, on a private host.
 */

const messageCount = 100_000;
const otherChannelCount = 1000;
/** The subscribers of `harfleur` besides Henry. */
const crowdSize = 10_000;

let host: PrivateHost;
let henry: Person;
let exeter: Person;
let fluellen: Person;
let agincourt: Channel;
let harfleur: Channel;
/** A channel with Henry alone. */
let alone: Channel;
let streets: Channel[];
/** The ID of the first message in `agincourt`. */
let first: number;
const last = () => first + messageCount - 1;

/** A user of the private host. */
async function onHost(name: string): Promise<Person> {
  const person = await aPerson(name);
  const call = (method: string, path: string, params = {}, options: CallOptions = {}) =>
    person.call(method, path, params, { url: host.url, ...options });
  return { ...person, call };
}

const mentionsHenry = (index: number) => index % 900 === 0;

async function fillTheTable() {
  const history = {
    channel: agincourt,
    senderId: (index: number) => (index % 23 === 0 ? fluellen.id : exeter.id),
    topic: (index: number) => `battle ${index % 10}`,
    opening: (index: number) =>
      mentionsHenry(index) ? `<span class="user-mention" data-user-id="${henry.id}">@Henry</span> ` : "",
  };
  for (const items of historyItems(first, messageCount, history)) await seedTable(host, items);
  const [channelId, recipientId] = [
    await takeIds("channel", otherChannelCount),
    await takeIds("recipient", otherChannelCount),
  ];
  streets = Array.from({ length: otherChannelCount }, (_, index) => ({
    ...agincourt,
    id: channelId + index,
    recipientId: recipientId + index,
    name: `street ${index}`,
  }));
  for (let start = 0; start < otherChannelCount; start += 100) {
    const batch = streets.slice(start, start + 100);
    await seedTable(host, itemsOf(batch.flatMap((channel) => createChannel(channel, { subscriberCount: 2 }))));
    const firstMessageId = await takeMessageIds(500);
    for (const [index, channel] of batch.entries()) {
      const fewMessages = { channel, senderId: () => exeter.id };
      for (const items of historyItems(firstMessageId + 5 * index, 5, fewMessages)) await seedTable(host, items);
    }
  }
  // Henry is in fifty of the channels, Exeter in all of them.
  const subscriptions = [
    ...streets.slice(0, 49).map(({ id }) => newSubscription(henry.id, id, 1)),
    ...streets.map(({ id }) => newSubscription(exeter.id, id, 1)),
    ...Array.from({ length: crowdSize }, (_, index) => newSubscription(1_000_000 + index, harfleur.id, 1)),
  ];
  await seedTable(host, itemsOf(subscriptions.map(createSubscription)));
}

/** Henry has stars, mentions and recipients, and Fluellen has read all but the newest hundred messages. */
async function prepareReaders() {
  const ids = Array.from({ length: messageCount }, (_, index) => first + index);
  const mentions = ids.filter((_, index) => mentionsHenry(index));
  for (let start = 0; start < mentions.length; start += 50)
    await transact(mentions.slice(start, start + 50).map((id) => addFlags(henry.id, id, ["mentioned"])));
  const starred = Array.from({ length: 120 }, (_, index) => first + index * 800);
  await henry.do("POST", "/messages/flags", { messages: starred, op: "add", flag: "starred" });
  const sent = [await sendAs(henry, alone.id), await sendAs(henry, harfleur.id)];
  sent.push(await sendAs(henry, [exeter.id, fluellen.id], "direct"));
  await henry.do("POST", "/messages/flags", { messages: sent.map(({ body }) => body.id), op: "add", flag: "read" });
  for (let start = 0; start < messageCount - 100; start += 5000) {
    const messages = ids.slice(start, Math.min(start + 5000, messageCount - 100));
    const body = `op=add&flag=read&messages=${JSON.stringify(messages)}`;
    expect((await fluellen.call("POST", "/messages/flags", {}, { body })).status).toBe(200);
  }
}

const sendAs = (person: Person, to: unknown, type = "channel") =>
  person.call("POST", "/messages", { type, to, topic: "breach", content: ordinaryText });
const fetchPage = (person: Person, narrow: unknown[], extra: Record<string, unknown> = {}) =>
  person.call("GET", "/messages", { anchor: "newest", num_before: 100, num_after: 0, narrow, ...extra });
const inChannel = () => ({ operator: "channel", operand: agincourt.id });

/** Expects a successful reply with at most so many read and write units, and with so many messages. */
function expectWithin(reply: Reply, maxReads: number, maxWrites = 0, messages?: number) {
  expect(reply.body.msg).toBe("");
  if (messages !== undefined) expect(reply.body.messages).toHaveLength(messages);
  // Near the end of a partition of the log two partitions are read instead of one.
  expect(reply.cost.readUnits).toBeLessThanOrEqual(maxReads + 1);
  expect(reply.cost.writeUnits).toBeLessThanOrEqual(maxWrites);
}

/** The cases that only read come first, because what was written recently makes reading dearer. */
describe.skipIf(!reportsCosts())("a long history (where costs are reported)", () => {
  beforeAll(async () => {
    host = await aPrivateHost();
    Object.assign(process.env, host.environment);
    [henry, exeter, fluellen] = [await onHost("Henry"), await onHost("Exeter"), await onHost("Fluellen")];
    agincourt = await aChannel("agincourt", [henry, exeter, fluellen]);
    harfleur = await aChannel("harfleur", [henry]);
    alone = await aChannel("alone", [henry]);
    first = await takeMessageIds(messageCount);
    await fillTheTable();
    await prepareReaders();
    // This fetch caches the senders' names, so that the measured ones do not read them.
    await fetchPage(henry, [inChannel()]);
    await untilNothingIsRecent();
  }, 240_000);
  afterAll(() => host?.stop());

  test("fetching a hundred messages at any position of the channel stays within its budget", async () => {
    expectWithin(await fetchPage(henry, [inChannel()]), 15, 0, 100);
    expectWithin(await fetchPage(henry, [inChannel()], { anchor: first + messageCount / 2 }), 15, 0, 101);
    expectWithin(
      await fetchPage(henry, [inChannel()], { anchor: "oldest", num_before: 0, num_after: 100 }),
      15,
      0,
      100,
    );
  });

  test("a registration that lists the newest 50,000 unread messages stays within its budget", async () => {
    const reply = await henry.call("POST", "/register", { event_types: ["message", "update_message_flags"] });

    const { streams: groups, old_unreads_missing } = reply.body.unread_msgs;
    const ids = groups.flatMap((group: any) => group.unread_message_ids).sort((a: number, b: number) => a - b);
    expect(old_unreads_missing).toBe(true);
    expect(ids).toHaveLength(50_000);
    expect(ids.at(0)).toBe(last() - (50_000 - 49 * 5) + 1);
    expectWithin(reply, 3_610, 2);
    // The pages are read in parallel: one after the other, they would take more than fifty stages. A table in the same process
    // answers in an order that differs by a stage or two.
    expect(reply.cost.stages).toBeLessThanOrEqual(18);
  });

  test("fetching a hundred messages of a topic, of a sender, or of fifty channels stays within its budget", async () => {
    expectWithin(await fetchPage(henry, [inChannel(), { operator: "topic", operand: "battle 3" }]), 15, 0, 100);
    expectWithin(await fetchPage(henry, [{ operator: "sender", operand: fluellen.id }]), 60, 0, 100);
    expectWithin(await fetchPage(henry, []), 90, 0, 100);
  });

  test("fetching a hundred mentions or a hundred starred messages stays within its budget", async () => {
    expectWithin(await fetchPage(henry, [["is", "mentioned"]]), 60, 0, 100);
    expectWithin(await fetchPage(henry, [["is", "starred"]]), 60, 0, 100);
  });

  test("a registration with three thousand starred messages reads none of them", async () => {
    const ids = Array.from({ length: 3000 }, (_, index) => first + index);
    for (const part of batchesOf(ids, 50))
      await transact(
        part.map((id) => addImportedFlags(exeter.id, { id, channelId: agincourt.id, sentAt: 1 }, ["starred"])),
      );

    const registered = await exeter.call("POST", "/register", { event_types: ["starred_messages"] });

    expectWithin(registered, 97.5, 10);
    expect(registered.body.starred_messages).toEqual(ids);
  });

  test("finding the first unread message costs little more than finding the newest, whether most messages are read or none", async () => {
    const anchorOnly = { num_before: 0, num_after: 0 };
    const fetchAnchor = (person: Person, anchor: string) => fetchPage(person, [inChannel()], { ...anchorOnly, anchor });

    const [read, unread] = [await fetchAnchor(fluellen, "first_unread"), await fetchAnchor(henry, "first_unread")];

    expect([read.body.anchor, unread.body.anchor]).toEqual([last() - 99, first]);
    expectWithin(read, (await fetchAnchor(fluellen, "newest")).cost.readUnits + 10);
    expectWithin(unread, (await fetchAnchor(henry, "newest")).cost.readUnits + 10);
  });

  test("a channel message costs the same with ten thousand subscribers as with one, and a direct message 2 units for each recipient", async () => {
    const [one, many] = [await sendAs(henry, alone.id), await sendAs(henry, harfleur.id)];

    expectWithin(one, 5, 12);
    expectWithin(many, 5, 12);
    expect(many.cost.writeUnits).toBe(one.cost.writeUnits);
    expectWithin(await sendAs(henry, agincourt.id), 5, 12);
    expectWithin(await sendAs(henry, [exeter.id, fluellen.id], "direct"), 10, 12 + 2 * 3);
  });

  test("fetching a hundred direct messages, of all conversations or of one, stays within its budget", async () => {
    const send = () => sendAs(henry, [exeter.id], "direct");
    await send();
    for (let sent = 0; sent < 100; sent += 20) await Promise.all(Array.from({ length: 20 }, send));

    expectWithin(await fetchPage(exeter, [["is", "dm"]]), 60, 0, 100);
    expectWithin(await fetchPage(exeter, [{ operator: "dm", operand: [henry.id] }]), 60, 0, 100);
  });

  test("marking a thousand messages as read, adjacent or scattered, stays within its budget", async () => {
    const every = (step: number) => Array.from({ length: 1000 }, (_, index) => first + index * step);
    const mark = (person: Person, messages: number[]) =>
      person.call("POST", "/messages/flags", { messages, op: "add", flag: "read" });

    const [near, far] = [await mark(exeter, every(1)), await mark(exeter, every(100))];

    expect(near.body.messages).toHaveLength(1000);
    expect(far.body.messages).toHaveLength(990);
    expectWithin(near, 10, 20);
    expectWithin(far, 10, 20);
  });

  test("a reaction, an edit, a subscription and a scheduled message stay within their budgets", async () => {
    const reactions = `/messages/${first + 23}/reactions`;
    expectWithin(await henry.call("POST", reactions, { emoji_name: "heart" }), 6, 8);
    expectWithin(await henry.call("DELETE", reactions, { emoji_name: "heart" }), 6, 8);
    expectWithin(
      await fluellen.call("PATCH", `/messages/${first + 23}`, { content: "Kill the poys and the luggage!" }),
      6,
      12,
    );
    expectWithin(
      await henry.call("POST", "/users/me/subscriptions", { subscriptions: [{ name: "street 900" }] }),
      8,
      8,
    );
    const scheduled = {
      type: "channel",
      to: agincourt.id,
      topic: "breach",
      content: ordinaryText,
      scheduled_delivery_timestamp: inSeconds(3600),
    };
    expectWithin(await henry.call("POST", "/scheduled_messages", scheduled), 4, 6);
  });

  test("a presence ping and a poll for events stay within their budgets", async () => {
    const ping = (last_update_id: number) =>
      henry.call("POST", "/users/me/presence", { status: "active", last_update_id });
    const first = await ping(-1);
    expectWithin(await ping(first.body.presence_last_update_id), 5, 2);
    const { queue_id, last_event_id } = (await henry.call("POST", "/register", { event_types: ["message"] })).body;
    const params = { queue_id, last_event_id, dont_block: true };
    await henry.do("GET", "/events", params);
    expectWithin(await henry.call("GET", "/events", params), 3.5);
  });

  // The last case, because everything that it writes counts as recent.
  test("marking a channel with 100,000 unread messages as read takes few stages, for it reads and writes thousands at a time", async () => {
    const { body, cost } = await henry.call("POST", "/mark_stream_as_read", { stream_id: agincourt.id });

    expect(body.msg).toBe("");
    expect(cost.stages, JSON.stringify(cost)).toBeLessThanOrEqual(27);
    const unread = await fetchPage(henry, [inChannel(), { operator: "is", operand: "unread" }]);
    expect(unread.body.messages).toEqual([]);
  });
});
