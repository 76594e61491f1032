import { isSameTopic, type TopicRef } from "../../channels/topics.ts";
import {
  deleteTopic,
  findTopicRecord,
  recordMessagesRemoved,
  replaceTopic,
  type StoredTopic,
  type TopicRecord,
} from "../../store/channels/topics.ts";
import { findMessages, type Message, readPartition, topicPartition } from "../../store/messages/messages.ts";
import type { Write } from "../../store/table/writes.ts";

/** Updates both topics' records when messages move between them. The writes are conditional: they fail when either record has changed. */
export async function topicWritesAfterMove(
  from: TopicRef,
  to: TopicRef,
  messages: readonly Message[],
): Promise<Write[]> {
  const ids = new Set(messages.map(({ id }) => id));
  const target = await findTopicRecord(to.channelId, to.topic);
  const after = { channelId: to.channelId, name: to.topic };
  if (isSameTopic(from, to))
    return [
      target?.maxId === undefined
        ? recordMessagesRemoved(target, to.channelId, to.topic)
        : replaceTopic(target, { ...after, maxId: target.maxId }),
    ];
  const maxId = Math.max(target?.maxId ?? 0, ...ids);
  return [replaceTopic(target, { ...after, maxId }), ...(await topicWritesAfterRemoval(from, ids))];
}

/**
 * Updates a topic's record when messages leave it: another message becomes its newest, or the record is deleted. Every removal
 * changes the record, so that of two removals at once one is retried: otherwise the message that becomes the newest might be
 * removed meanwhile.
 */
export async function topicWritesAfterRemoval(topicRef: TopicRef, ids: ReadonlySet<number>): Promise<Write[]> {
  const topic = await findTopicRecord(topicRef.channelId, topicRef.topic);
  if (!isNewest(topic, ids)) return [recordMessagesRemoved(topic, topicRef.channelId, topicRef.topic)];
  const partition = topicPartition(topic.channelId, topic.name);
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await readPartition("gsi2", partition, { from: 0, to, descending: true, limit: ids.size + 1 });
    const last = await findNewestRemaining(
      topic,
      page.filter(({ id }) => !ids.has(id)),
    );
    if (last) return [replaceTopic(topic, { ...topic, maxId: last.id })];
    const oldest = page.at(-1);
    if (!oldest || page.length <= ids.size) return [deleteTopic(topic)];
    to = oldest.id - 1;
  }
}

const isNewest = (topic: StoredTopic, ids: ReadonlySet<number>): topic is TopicRecord =>
  topic?.maxId !== undefined && ids.has(topic.maxId);

/** Finds the newest message that is still in the topic. The index is eventually consistent and may list deleted messages; usually costs 1 read unit. */
async function findNewestRemaining(topic: TopicRecord, messages: readonly Message[]): Promise<Message | undefined> {
  const topicRef = { channelId: topic.channelId, topic: topic.name };
  for (const part of [messages.slice(0, 1), messages.slice(1)]) {
    const found = await findMessages(
      part.map(({ id }) => id),
      { consistent: true },
    );
    const remaining = found.find(
      (one) => one && isSameTopic({ channelId: one.channelId ?? 0, topic: one.topic ?? "" }, topicRef),
    );
    if (remaining) return remaining;
  }
  return undefined;
}
