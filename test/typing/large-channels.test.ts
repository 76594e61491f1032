import { beforeAll, expect, test } from "vitest";
import { addChannel } from "../../shared/features/channels/create.ts";
import type { Channel } from "../../shared/store/channels/channels.ts";
import { listen } from "../support/listener.ts";
import { sendToChannel } from "../support/messages.ts";
import { aChannel, aPerson, costTest, type Person, partitionEndReadUnits } from "../support/world.ts";

/** IDs of users who do not exist, for subscriptions of which only the number matters. */
const nonexistentUserIds = (count: number) => Array.from({ length: count }, (_, index) => 1_500_000_000 + index);

let alonso: Person;
let gonzalo: Person;
let listener: Awaited<ReturnType<typeof listen>>;
/** Channels with the maximum number of subscribers, and with one more. */
let [full, overfull]: Channel[] = [];
beforeAll(async () => {
  [alonso, gonzalo] = await Promise.all([aPerson("Alonso"), aPerson("Gonzalo")]);
  const participantIds = [alonso.id, gonzalo.id];
  const name = (what: string) => `${what} of ${alonso.email}`;
  full = await addChannel({ name: name("ship") }, null, [...participantIds, ...nonexistentUserIds(98)]);
  overfull = await addChannel({ name: name("fleet") }, null, [...participantIds, ...nonexistentUserIds(99)]);
  listener = await listen(gonzalo, {
    event_types: ["typing", "typing_edit_message"],
    fetch_event_types: [],
    client_capabilities: { notification_settings_null: true, stream_typing_notifications: true },
  });
});

const type = (channel: Channel) =>
  alonso.call("POST", "/typing", { op: "start", type: "channel", stream_id: channel.id, topic: "storm" });
const edit = async (channel: Channel) =>
  alonso.call("POST", `/messages/${await sendToChannel(alonso, channel, "storm")}/typing`, { op: "start" });

test("typing and editing events are sent in channels of up to a hundred subscribers", async () => {
  for (const channel of [overfull, full] as [Channel, Channel]) {
    const replies = [await type(channel), await edit(channel)];
    expect(replies.map(({ status, body }) => [status, body.result])).toEqual([
      [200, "success"],
      [200, "success"],
    ]);
  }

  const events = [await listener.next("typing"), await listener.next("typing_edit_message")];

  expect(events).toMatchObject([{ stream_id: full?.id }, { recipient: { channel_id: full?.id } }]);
  expect(await listener.poll()).toEqual([]);
});

costTest("in a channel with too many subscribers a notification costs at most 7 read units and no write", async () => {
  const costs = [(await type(overfull as Channel)).cost, (await edit(overfull as Channel)).cost];

  for (const { readUnits, writeUnits } of costs) {
    expect(readUnits).toBeLessThanOrEqual(7);
    expect(writeUnits).toBe(0);
  }
});

costTest("typing costs at most 7 read and 3 write units, whatever the number of subscribers", async () => {
  const few = await aChannel("boat", [alonso, gonzalo]);
  const [inSmall, inLarge] = [(await type(few)).cost, (await type(full as Channel)).cost];

  expect(inLarge.readUnits).toBeLessThanOrEqual(inSmall.readUnits + partitionEndReadUnits);
  expect(inLarge.readUnits).toBeLessThanOrEqual(7 + partitionEndReadUnits);
  expect([inSmall.writeUnits, inLarge.writeUnits]).toEqual([3, 3]);
});
