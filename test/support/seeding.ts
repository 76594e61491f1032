import { writeInBulk } from "../../shared/store/bulk.ts";
import type { Channel } from "../../shared/store/channels.ts";
import { commit } from "../../shared/store/log.ts";
import { createMessage } from "../../shared/store/messages.ts";
import type { Item } from "../../shared/store/writes.ts";

/** A text of 300 characters, as messages have them. */
export const ordinaryText = "Once more unto the breach, dear friends, once more, or close the wall up with our dead. "
  .repeat(4)
  .slice(0, 300);

const silence = { audience: { kind: "users" as const, userIds: [] }, event: { type: "silence" } };

/** Where each of many messages is to be; `place` counts from 0. */
export interface Seed {
  channel: Channel;
  senderId: (place: number) => number;
  topic?: (place: number) => string;
  /** What stands before the text of each, as HTML. */
  opening?: (place: number) => string;
}

/**
 * A history of `count` messages written straight into the table, as sending would have left them but for their events.
 * Returns the first and the last ID.
 */
export async function aHistory(count: number, { channel, senderId, topic = () => "breach", opening = () => "" }: Seed) {
  const first = await commit({ events: 1, messages: count }, (numbers) => ({
    writes: [],
    events: [silence],
    result: numbers.message,
  }));
  const sentAt = Math.floor(Date.now() / 1000);
  for (let start = 0; start < count; start += 2000) {
    const items: Item[] = [];
    for (let place = start; place < Math.min(count, start + 2000); place++) {
      const message = {
        id: first + place,
        senderId: senderId(place),
        channelId: channel.id,
        topic: topic(place),
        recipientId: channel.recipientId,
        content: ordinaryText,
        html: `<p>${opening(place)}${ordinaryText}</p>`,
        sentAt,
        client: "SkeinTest",
      };
      items.push(...createMessage(message).flatMap((write) => (write.kind === "put" ? [write.item] : [])));
    }
    await writeInBulk(items);
  }
  return { first, last: first + count - 1 };
}
