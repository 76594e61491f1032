import { expect, test } from "vitest";
import { movedInAfter, unreadRanges } from "../../../shared/messages/flags/unread-ranges.ts";
import type { Channel } from "../../../shared/store/channels/channels.ts";
import { findChannel, updateChannel } from "../../../shared/store/channels/channels.ts";
import { findUnreadFloors, putUnreadFloors } from "../../../shared/store/messages/read-state.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { sendToChannel } from "../../support/messages.ts";
import { fillTopic } from "../../support/table/fill-topic.ts";
import { aChannel, aPerson, type Person } from "../../support/world.ts";

const inChannel = ({ id }: Channel) => ({ operator: "channel", operand: id });
const ids = ({ body }: { body: any }): number[] => body.messages.map(({ id }: { id: number }) => id);

/** The unread messages of a channel according to `is:unread`, the anchor `first_unread` and the initial state. */
async function unreadIn(person: Person, channel: Channel) {
  const narrow = [inChannel(channel), { operator: "is", operand: "unread" }];
  const listed = ids(await person.call("GET", "/messages", { anchor: 0, num_before: 0, num_after: 100, narrow }));
  const range = { anchor: "first_unread", num_before: 0, num_after: 0, narrow: [inChannel(channel)] };
  const { anchor } = (await person.call("GET", "/messages", range)).body;
  const { unread_msgs } = (
    await person.call("POST", "/register", { fetch_event_types: ["message", "update_message_flags"] })
  ).body;
  const streams = unread_msgs.streams.filter(({ stream_id }: any) => stream_id === channel.id);
  return { listed, anchor, registered: streams.flatMap(({ unread_message_ids }: any) => unread_message_ids) };
}

/**
 * Creates an unread message in one channel, and a reader whose stored floor of another channel is newer than the message.
 */
async function anOldUnread() {
  const [prospero, ariel] = [await aPerson("Prospero"), await aPerson("Ariel")];
  const [island, cell, sea] = [
    await aChannel("island", [prospero, ariel]),
    await aChannel("cell", [prospero, ariel]),
    await aChannel("sea", [prospero]),
  ];
  const old = await sendToChannel(prospero, island, "storm");
  const other = await sendToChannel(prospero, island, "storm", "and this");
  await fillTopic(prospero, sea, "waves", 1100);
  await ariel.do("POST", "/register", { fetch_event_types: ["message", "update_message_flags"] });
  expect((await findUnreadFloors(ariel.id)).channels[cell.id]).toBeGreaterThan(other);
  return { prospero, ariel, island, cell, old, other };
}

const moveTo = (person: Person, id: number, { id: stream_id }: Channel) =>
  person.call("PATCH", `/messages/${id}`, { stream_id, send_notification_to_new_thread: false });

test("unread messages stay unread when they are moved to another channel, however old they are", async () => {
  const { prospero, ariel, island, cell, old, other } = await anOldUnread();

  expect((await moveTo(prospero, old, cell)).body.msg).toBe("");

  expect(await unreadIn(ariel, cell)).toEqual({ listed: [old], anchor: old, registered: [old] });
  expect(await unreadIn(ariel, island)).toEqual({ listed: [other], anchor: other, registered: [other] });
  await moveTo(prospero, other, cell);
  expect(await unreadIn(ariel, cell)).toEqual({ listed: [old, other], anchor: old, registered: [old, other] });
  await ariel.do("POST", "/messages/flags", { messages: [old], op: "add", flag: "read" });
  expect(await unreadIn(ariel, cell)).toEqual({ listed: [other], anchor: other, registered: [other] });
});

test("after a move a reader's unread floors are computed once and then stored", async () => {
  const { prospero, ariel, cell, old, other } = await anOldUnread();
  await moveTo(prospero, old, cell);
  expect((await findChannel(cell.id))?.movedIn).toMatchObject([{ from: old, to: old }]);
  // The move was a while ago, and the floors were stored before it.
  const at = Date.now() - 90_000;
  const oldFloors = await findUnreadFloors(ariel.id);
  await transact([
    updateChannel(cell.id, { set: { movedIn: [{ from: old, to: old, at }] } }),
    putUnreadFloors(ariel.id, oldFloors, { asOf: at - 30_000 }),
  ]);

  expect(await unreadIn(ariel, cell)).toEqual({ listed: [old], anchor: old, registered: [old] });

  const storedFloors = await findUnreadFloors(ariel.id);
  expect(storedFloors.asOf).toBeGreaterThan(at);
  expect(storedFloors.channels[cell.id]).toBe(old);
  expect(await unreadIn(ariel, cell)).toMatchObject({ listed: [old], anchor: old });
  await ariel.do("POST", "/messages/flags", { messages: [old], op: "add", flag: "read" });
  expect(await unreadIn(ariel, cell)).toMatchObject({ listed: [], registered: [] });
  expect((await findUnreadFloors(ariel.id)).channels[cell.id]).toBeGreaterThan(other);
});

test("a channel keeps at most four records of moved-in messages, and adds none for IDs that one covers", () => {
  const second = 1000;
  const first = movedInAfter(undefined, [7, 5], 0);
  expect(first).toEqual([{ from: 5, to: 7, at: 0 }]);
  expect(movedInAfter(first, [6], 10 * second)).toBeUndefined();
  expect(movedInAfter(first, [3, 6], 10 * second)).toEqual([{ from: 3, to: 7, at: 0 }]);
  let records = first;
  for (let minute = 1; minute <= 5; minute++) records = movedInAfter(records, [100 * minute], 60 * second * minute);
  expect(records).toEqual([
    { from: 5, to: 200, at: 120 * second },
    { from: 300, to: 300, at: 180 * second },
    { from: 400, to: 400, at: 240 * second },
    { from: 500, to: 500, at: 300 * second },
  ]);
  const floors = { channels: { 9: 350 }, direct: 0, version: 1, asOf: 150 * second };
  expect(unreadRanges(floors, 9, { movedIn: records ?? [] })).toEqual([
    [300, 301],
    [350, Number.MAX_SAFE_INTEGER],
  ]);
  expect(unreadRanges({ ...floors, asOf: 180 * second }, 9, { movedIn: records ?? [] })).toEqual([
    [350, Number.MAX_SAFE_INTEGER],
  ]);
});
