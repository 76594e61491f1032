import { expect, test } from "vitest";
import { movedInAfter, unreadRanges } from "../../../shared/messaging/messages/flags/unread-ranges.ts";
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
  const oldId = await sendToChannel(prospero, island, "storm");
  const otherId = await sendToChannel(prospero, island, "storm", "and this");
  await fillTopic(prospero, sea, "waves", 1100);
  await ariel.do("POST", "/register", { fetch_event_types: ["message", "update_message_flags"] });
  expect((await findUnreadFloors(ariel.id)).channels[cell.id]).toBeGreaterThan(otherId);
  return { prospero, ariel, island, cell, oldId, otherId };
}

const moveTo = (person: Person, id: number, { id: stream_id }: Channel) =>
  person.call("PATCH", `/messages/${id}`, { stream_id, send_notification_to_new_thread: false });

test("unread messages stay unread when they are moved to another channel, however old they are", async () => {
  const { prospero, ariel, island, cell, oldId, otherId } = await anOldUnread();

  expect((await moveTo(prospero, oldId, cell)).body.msg).toBe("");

  expect(await unreadIn(ariel, cell)).toEqual({ listed: [oldId], anchor: oldId, registered: [oldId] });
  expect(await unreadIn(ariel, island)).toEqual({ listed: [otherId], anchor: otherId, registered: [otherId] });
  await moveTo(prospero, otherId, cell);
  expect(await unreadIn(ariel, cell)).toEqual({
    listed: [oldId, otherId],
    anchor: oldId,
    registered: [oldId, otherId],
  });
  await ariel.do("POST", "/messages/flags", { messages: [oldId], op: "add", flag: "read" });
  expect(await unreadIn(ariel, cell)).toEqual({ listed: [otherId], anchor: otherId, registered: [otherId] });
});

test("after a move a reader's unread floors are computed once and then stored", async () => {
  const { prospero, ariel, cell, oldId, otherId } = await anOldUnread();
  await moveTo(prospero, oldId, cell);
  expect((await findChannel(cell.id))?.movedIn).toMatchObject([{ from: oldId, to: oldId }]);
  // Backdates the move, and the floors to a time before it.
  const movedAt = Date.now() - 90_000;
  const oldFloors = await findUnreadFloors(ariel.id);
  await transact([
    updateChannel(cell.id, { set: { movedIn: [{ from: oldId, to: oldId, at: movedAt }] } }),
    putUnreadFloors(ariel.id, oldFloors, { asOf: movedAt - 30_000 }),
  ]);

  expect(await unreadIn(ariel, cell)).toEqual({ listed: [oldId], anchor: oldId, registered: [oldId] });

  const storedFloors = await findUnreadFloors(ariel.id);
  expect(storedFloors.asOf).toBeGreaterThan(movedAt);
  expect(storedFloors.channels[cell.id]).toBe(oldId);
  expect(await unreadIn(ariel, cell)).toMatchObject({ listed: [oldId], anchor: oldId });
  await ariel.do("POST", "/messages/flags", { messages: [oldId], op: "add", flag: "read" });
  expect(await unreadIn(ariel, cell)).toMatchObject({ listed: [], registered: [] });
  expect((await findUnreadFloors(ariel.id)).channels[cell.id]).toBeGreaterThan(otherId);
});

test("a channel keeps at most four records of moved-in messages, and adds none for IDs that one covers", () => {
  const secondMs = 1000;
  const first = movedInAfter(undefined, [7, 5], 0);
  expect(first).toEqual([{ from: 5, to: 7, at: 0 }]);
  expect(movedInAfter(first, [6], 10 * secondMs)).toBeUndefined();
  expect(movedInAfter(first, [3, 6], 10 * secondMs)).toEqual([{ from: 3, to: 7, at: 0 }]);
  let records = first;
  for (let minute = 1; minute <= 5; minute++) records = movedInAfter(records, [100 * minute], 60 * secondMs * minute);
  expect(records).toEqual([
    { from: 5, to: 200, at: 120 * secondMs },
    { from: 300, to: 300, at: 180 * secondMs },
    { from: 400, to: 400, at: 240 * secondMs },
    { from: 500, to: 500, at: 300 * secondMs },
  ]);
  const floors = { channels: { 9: 350 }, direct: 0, version: 1, asOf: 150 * secondMs };
  expect(unreadRanges(floors, 9, { movedIn: records ?? [] })).toEqual([
    [300, 301],
    [350, Number.MAX_SAFE_INTEGER],
  ]);
  expect(unreadRanges({ ...floors, asOf: 180 * secondMs }, 9, { movedIn: records ?? [] })).toEqual([
    [350, Number.MAX_SAFE_INTEGER],
  ]);
});
