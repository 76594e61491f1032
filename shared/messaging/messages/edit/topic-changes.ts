import { isSameTopic, type TopicRef } from "../../../core/channels/topics.ts";
import {
  deleteTopic,
  findTopicRecord,
  recordMessagesRemoved,
  replaceTopic,
  type StoredTopic,
  type TopicMoveMark,
  type TopicRecord,
} from "../../../store/channels/topics.ts";
import { findMessages, type Message, readPartition, topicPartition } from "../../../store/messages/messages.ts";
import { withConsistentReads } from "../../../store/table/consistency.ts";
import type { Write } from "../../../store/table/writes.ts";

/** The update of a topic's record: a write that is conditional on what was read. */
interface TopicChange {
  before: StoredTopic;
  /** `move` is the move that causes it, if one does. */
  write(move?: TopicMoveMark): Write;
}

/**
 * Plans the update of both topics' records when messages move between them, first that of the target. The writes are conditional:
 * they fail when either record has changed, and so of two moves from or to a topic one is planned again.
 */
export async function topicChangesAfterMove(
  from: TopicRef,
  to: TopicRef,
  messages: readonly Message[],
): Promise<TopicChange[]> {
  const ids = new Set(messages.map(({ id }) => id));
  const target = await findTopicRecord(to.channelId, to.topic);
  const newName = { channelId: to.channelId, name: to.topic };
  if (isSameTopic(from, to)) {
    const { maxId } = target ?? {};
    return [
      {
        before: target,
        write: (move) =>
          maxId === undefined
            ? recordMessagesRemoved(target, to, move)
            : replaceTopic(target, { ...newName, maxId }, move),
      },
    ];
  }
  const maxId = Math.max(target?.maxId ?? 0, ...ids);
  return [
    { before: target, write: (move) => replaceTopic(target, { ...newName, maxId }, move) },
    await topicChangeAfterRemoval(from, ids),
  ];
}

/**
 * Plans the update of a topic's record when messages leave it: another message becomes its newest, or the record is deleted.
 * Every removal changes the record, so that one of two concurrent removals is retried: otherwise each might record as the
 * newest a message that the other one removes.
 */
export async function topicChangeAfterRemoval(topicRef: TopicRef, ids: ReadonlySet<number>): Promise<TopicChange> {
  const topic = await findTopicRecord(topicRef.channelId, topicRef.topic);
  if (!isNewest(topic, ids)) return { before: topic, write: (move) => recordMessagesRemoved(topic, topicRef, move) };
  const partition = topicPartition(topic.channelId, topic.name);
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await readPartition("gsi2", partition, { from: 0, to, descending: true, limit: ids.size + 1 });
    const newest = await findNewestRemaining(
      topic,
      page.filter(({ id }) => !ids.has(id)),
    );
    if (newest) return { before: topic, write: (move) => replaceTopic(topic, { ...topic, maxId: newest.id }, move) };
    const oldest = page.at(-1);
    if (!oldest || page.length <= ids.size) return { before: topic, write: (move) => deleteTopic(topic, move) };
    to = oldest.id - 1;
  }
}

const isNewest = (topic: StoredTopic, ids: ReadonlySet<number>): topic is TopicRecord =>
  topic?.maxId !== undefined && ids.has(topic.maxId);

/**
 * Finds the newest of `messages` that is still in the topic: the index that listed them is eventually consistent and may
 * contain deleted or moved messages. Reads the first one alone, as it usually is still there; this costs 1 read unit.
 */
async function findNewestRemaining(topic: TopicRecord, messages: readonly Message[]): Promise<Message | undefined> {
  const topicRef = { channelId: topic.channelId, topic: topic.name };
  for (const part of [messages.slice(0, 1), messages.slice(1)]) {
    const current = await withConsistentReads(() => findMessages(part.map(({ id }) => id)));
    const remaining = current.find(
      (message) => message && isSameTopic({ channelId: message.channelId ?? 0, topic: message.topic ?? "" }, topicRef),
    );
    if (remaining) return remaining;
  }
  return undefined;
}
