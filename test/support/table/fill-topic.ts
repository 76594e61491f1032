import type { Channel } from "../../../shared/store/channels/channels.ts";
import { findTopicRecord, replaceTopic } from "../../../shared/store/channels/topics.ts";
import { commitNumbered } from "../../../shared/store/log/log.ts";
import { createMessage, type Message } from "../../../shared/store/messages/messages.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import type { Person } from "../world.ts";

/** Fills a topic through the store, because sending thousands of messages takes too long. */
export async function fillTopic(
  sender: Pick<Person, "id">,
  channel: Channel,
  topic: string,
  count: number,
): Promise<number[]> {
  const record = await findTopicRecord(channel.id, topic);
  const { first } = await commitNumbered({ messages: count }, ({ message }) => ({
    writes: [replaceTopic(record, { channelId: channel.id, name: topic, maxId: message + count - 1 })],
    first: message,
  }));
  const messages = Array.from({ length: count }, (_, n): Message => {
    const content = `line ${n}`;
    const sentAt = Math.floor(Date.now() / 1000);
    const place = { channelId: channel.id, topic, recipientId: channel.recipientId };
    return {
      id: first + n,
      senderId: sender.id,
      ...place,
      content,
      html: `<p>${content}</p>`,
      sentAt,
      client: "test",
    };
  });
  for (let n = 0; n < count; n += 100) await transact(messages.slice(n, n + 100).flatMap(createMessage));
  return messages.map(({ id }) => id);
}
