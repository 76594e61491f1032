import { mapInBatches } from "../../base/batches.ts";
import type { Channel } from "../../store/channels/channels.ts";
import type { Period } from "../../store/channels/subscriptions.ts";
import { findTopicRecord, listTopicRecords, raiseTopicMaxId, type Topic } from "../../store/channels/topics.ts";
import {
  channelPartition,
  findMessage,
  hasMessages,
  type Message,
  type MessageSummary,
  readPartition,
  readPartitionSummaries,
  topicPartition,
} from "../../store/messages/messages.ts";
import { peekNewestRecorded } from "../../store/messages/search-index.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { ConditionFailed } from "../../store/table/transactions.ts";
import type { ChannelAccessWithStats } from "./channel-access.ts";
import { isWithin } from "./periods.ts";
import { mayReadHistory } from "./rules.ts";

export interface TopicRef {
  channelId: number;
  topic: string;
}

export const isSameTopic = (a: TopicRef, b: TopicRef) =>
  a.channelId === b.channelId && a.topic.toLowerCase() === b.topic.toLowerCase();

const newestFirst = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: 1 };

/** Finds a topic by its newest message; undefined when it has none. Costs 0.5 read units per 4 KB. */
export async function findTopic(channelId: number, name: string): Promise<Topic | undefined> {
  const [message] = await readPartitionSummaries("gsi2", topicPartition(channelId, name), newestFirst);
  return message && topicOf(message);
}

/** Whether a topic has messages. Costs as much as `findTopic`, or less while many write there. */
export const hasTopic = (channelId: number, name: string): Promise<boolean> =>
  hasMessages("gsi2", topicPartition(channelId, name));

const topicOf = ({ id, channelId = 0, topic = "" }: Pick<MessageSummary, "id" | "channelId" | "topic">): Topic => ({
  channelId,
  name: topic,
  maxId: id,
});

/**
 * All topics of a channel: the records that the log consumer has written, and the topics of newer messages. The consumer's
 * cursor is read first, so that each message is covered by a record or read itself.
 */
export async function listTopics(channelId: number): Promise<Topic[]> {
  const recordedId = await peekNewestRecorded();
  const [records, messages] = await Promise.all([
    listTopicRecords(channelId),
    readPartitionSummaries("gsi1", channelPartition(channelId), {
      ...newestFirst,
      from: recordedId + 1,
      limit: Number.POSITIVE_INFINITY,
    }),
  ]);
  return newestByTopic([...records, ...messages.map(topicOf)]);
}

function newestByTopic(topics: readonly Topic[]): Topic[] {
  const byName = new Map<string, Topic>();
  for (const topic of topics) {
    const name = topic.name.toLowerCase();
    if (topic.maxId > (byName.get(name)?.maxId ?? 0)) byName.set(name, topic);
  }
  return [...byName.values()];
}

/**
 * Updates the topic records for sent messages, which may have been moved or deleted since. Costs 1 write unit and 2 read
 * units per topic. A concurrent move or deletion changes the record and causes a retry, so that a record never points to a
 * missing message.
 */
export async function recordTopics(messages: readonly Message[]): Promise<void> {
  const inChannels = messages.filter(({ channelId }) => channelId !== undefined);
  const topics = Map.groupBy(inChannels, ({ channelId = 0, topic = "" }) => topicPartition(channelId, topic));
  for (const topicMessages of topics.values()) await recordTopic(topicMessages);
}

async function recordTopic(messages: readonly Message[]): Promise<void> {
  const { channelId = 0, topic = "" } = messages[0] as Message;
  await retryOnConflict(async () => {
    const record = await findTopicRecord(channelId, topic);
    const last = await findNewestRemaining(messages, record?.maxId ?? 0);
    if (last && !(await raiseTopicMaxId(record, topicOf(last)))) throw new ConditionFailed();
  });
}

/** The newest message above an ID that still exists in its topic. */
async function findNewestRemaining(messages: readonly Message[], aboveId: number): Promise<Message | undefined> {
  for (const { id, channelId, topic } of messages.toReversed()) {
    if (id <= aboveId) return undefined;
    const found = await findMessage(id);
    if (found?.channelId === channelId && found?.topic?.toLowerCase() === topic?.toLowerCase()) return found;
  }
  return undefined;
}

/**
 * The topics of a channel in which a user can read messages, each with the newest readable one, newest first. With
 * protected history, each topic whose newest message is not readable costs a query.
 */
export async function listVisibleTopics({
  person,
  channel,
  subscription,
  isGranted,
}: ChannelAccessWithStats): Promise<Topic[]> {
  const topics = await listTopics(channel.id);
  const visible = mayReadHistory(person, channel, subscription, isGranted)
    ? topics
    : await newestWithinPeriods(topics, subscription?.periods ?? [], channel);
  return visible.sort((a, b) => b.maxId - a.maxId);
}

const maxConcurrentQueries = 10;

async function newestWithinPeriods(
  topics: readonly Topic[],
  periods: readonly Period[],
  channel: Pick<Channel, "arrivals">,
): Promise<Topic[]> {
  const found = await mapInBatches(topics, maxConcurrentQueries, (topic) => findNewestVisible(topic, periods, channel));
  return found.filter((topic) => topic !== undefined);
}

/** A topic with its newest message that is readable with protected history; undefined without any. */
export async function findNewestVisible(
  topic: Topic,
  periods: readonly Period[],
  { arrivals }: Pick<Channel, "arrivals">,
): Promise<Topic | undefined> {
  const sent = await findNewestWithin(topic, periods);
  if (!arrivals || (sent && sent.maxId > arrivals.to)) return sent;
  const query = { ...arrivals, descending: true, limit: maxArrivals };
  const moved = await readPartition("gsi2", topicPartition(topic.channelId, topic.name), query);
  const newest = moved.find((message) => isWithin(periods, message));
  return newest && newest.id > (sent?.maxId ?? 0) ? { ...topic, maxId: newest.id } : sent;
}

/** How many of a topic's newest messages are searched for one that was moved in while the user was subscribed. */
const maxArrivals = 200;

async function findNewestWithin(topic: Topic, periods: readonly Period[]): Promise<Topic | undefined> {
  for (const [from, to = Number.MAX_SAFE_INTEGER] of periods.toReversed()) {
    if (topic.maxId < from) continue;
    if (topic.maxId < to) return topic;
    const query = { from, to: to - 1, descending: true, limit: 1 };
    const [newest] = await readPartition("gsi2", topicPartition(topic.channelId, topic.name), query);
    if (newest) return { ...topic, maxId: newest.id };
  }
  return undefined;
}
