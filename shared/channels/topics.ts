import { isWithin } from "../messages/periods.ts";
import type { Channel } from "../store/channels.ts";
import { readPartition, topicPartition } from "../store/messages.ts";
import type { Period } from "../store/subscriptions.ts";
import { listTopics, type Topic } from "../store/topics.ts";
import { mayReadHistory } from "./rules.ts";
import type { CountedStanding } from "./standing.ts";

/**
 * The topics of a channel in which someone can read messages, with the newest of those, newest first. Where history is
 * protected, a topic that went on without them is looked into: one query each, ten at once.
 */
export async function visibleTopics({ person, channel, subscription, holds }: CountedStanding): Promise<Topic[]> {
  const topics = await listTopics(channel.id);
  const visible = mayReadHistory(person, channel, subscription, holds)
    ? topics
    : await withinPeriods(topics, subscription?.periods ?? [], channel);
  return visible.sort((a, b) => b.maxId - a.maxId);
}

async function withinPeriods(
  topics: readonly Topic[],
  periods: readonly Period[],
  channel: Pick<Channel, "arrivals">,
): Promise<Topic[]> {
  const found: (Topic | undefined)[] = [];
  for (let start = 0; start < topics.length; start += 10)
    found.push(
      ...(await Promise.all(topics.slice(start, start + 10).map((topic) => newestOf(topic, periods, channel)))),
    );
  return found.filter((topic) => topic !== undefined);
}

/** A topic of protected history by the newest message that was sent while one was there, or was moved in; undefined without any. */
export async function newestOf(
  topic: Topic,
  periods: readonly Period[],
  { arrivals }: Pick<Channel, "arrivals">,
): Promise<Topic | undefined> {
  const sent = await newestWithin(topic, periods);
  if (!arrivals || (sent && sent.maxId > arrivals.to)) return sent;
  const query = { ...arrivals, descending: true, limit: mostArrivals };
  const moved = await readPartition("gsi2", topicPartition(topic.channelId, topic.name), query);
  const newest = moved.find((message) => isWithin(periods, message));
  return newest && newest.id > (sent?.maxId ?? 0) ? { ...topic, maxId: newest.id } : sent;
}

/** So many messages are looked at for one that was moved in. */
const mostArrivals = 200;

async function newestWithin(topic: Topic, periods: readonly Period[]): Promise<Topic | undefined> {
  for (const [from, to = Number.MAX_SAFE_INTEGER] of periods.toReversed()) {
    if (topic.maxId < from) continue;
    if (topic.maxId < to) return topic;
    const query = { from, to: to - 1, descending: true, limit: 1 };
    const [newest] = await readPartition("gsi2", topicPartition(topic.channelId, topic.name), query);
    if (newest) return { ...topic, maxId: newest.id };
  }
  return undefined;
}
