import type { Channel } from "../../../shared/store/channels/channels.ts";
import { commitNumbered } from "../../../shared/store/log/log.ts";
import { createMessage } from "../../../shared/store/messages/messages.ts";
import { batchWrite } from "../../../shared/store/table/bulk.ts";
import type { Item, Write } from "../../../shared/store/table/writes.ts";

/** A message of typical length: 300 characters. */
export const ordinaryText = "Once more unto the breach, dear friends, once more, or close the wall up with our dead. "
  .repeat(4)
  .slice(0, 300);

/** The properties of generated messages; `index` is a message's position in the history, from 0. */
export interface Seed {
  channel: Channel;
  senderId: (index: number) => number;
  topic?: (index: number) => string;
  /** HTML before the text of a message. */
  opening?: (index: number) => string;
  /** The text of a message; `ordinaryText` by default. */
  text?: (index: number) => string;
  /** UNIX seconds; now by default. */
  sentAt?: (index: number) => number;
}

/** Yields the items that sending `count` messages would have written, with IDs from `first` on, 2,000 messages at a time. */
export function* historyItems(first: number, count: number, seed: Seed): Generator<Item[]> {
  const { channel, senderId, topic = () => "breach", opening = () => "", text = () => ordinaryText } = seed;
  const now = Math.floor(Date.now() / 1000);
  const { sentAt = () => now } = seed;
  for (let start = 0; start < count; start += 2000) {
    const items: Item[] = [];
    for (let index = start; index < Math.min(count, start + 2000); index++) {
      const message = {
        id: first + index,
        senderId: senderId(index),
        channelId: channel.id,
        topic: topic(index),
        recipientId: channel.recipientId,
        content: text(index),
        html: `<p>${opening(index)}${text(index)}</p>`,
        sentAt: sentAt(index),
        client: "SkeinTest",
      };
      items.push(...itemsOf(createMessage(message)));
    }
    yield items;
  }
}

/** The items that writes put, to be written without their conditions. */
export const itemsOf = (writes: readonly Write[]): Item[] =>
  writes.flatMap((write) => (write.kind === "put" ? [write.item] : []));

/** Reserves message IDs; returns the first. */
export const takeMessageIds = async (count: number): Promise<number> =>
  (await commitNumbered({ messages: count }, ({ message }) => ({ writes: [], first: message }))).first;

/**
 * Writes `count` messages directly into the table, as sending would have done except for the events. Returns the first and
 * the last ID.
 */
export async function aHistory(count: number, seed: Seed) {
  const first = await takeMessageIds(count);
  for (const items of historyItems(first, count, seed)) await batchWrite(items);
  return { first, last: first + count - 1 };
}
