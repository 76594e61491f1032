import { type Message, readPartition, topicPartition } from "../store/messages.ts";
import { deleteTopic, findTopic, replaceTopic, type Topic } from "../store/topics.ts";
import type { Write } from "../store/writes.ts";

export interface TopicPlace {
  channelId: number;
  topic: string;
}

export const isSameTopic = (a: TopicPlace, b: TopicPlace) =>
  a.channelId === b.channelId && a.topic.toLowerCase() === b.topic.toLowerCase();

/** What two topics become when messages move from one to the other; fails when a message came to either meanwhile. */
export async function topicsAfterMove(
  from: TopicPlace,
  to: TopicPlace,
  messages: readonly Message[],
): Promise<Write[]> {
  const ids = new Set(messages.map(({ id }) => id));
  const [source, target] = await Promise.all([
    findTopic(from.channelId, from.topic, { consistent: true }),
    findTopic(to.channelId, to.topic, { consistent: true }),
  ]);
  if (isSameTopic(from, to)) return target ? [replaceTopic(target, { ...target, name: to.topic })] : [];
  const maxId = Math.max(target?.maxId ?? 0, ...ids);
  return [
    replaceTopic(target, { ...target, channelId: to.channelId, name: to.topic, maxId }),
    ...(await topicWithout(source, ids)),
  ];
}

/** What a topic becomes when messages leave it: its newest is another, or it is gone. */
export async function topicWithout(topic: Topic | undefined, ids: ReadonlySet<number>): Promise<Write[]> {
  if (!topic || !ids.has(topic.maxId)) return [];
  const newest = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: true, limit: ids.size + 1 };
  const rest = await readPartition("gsi2", topicPartition(topic.channelId, topic.name), newest);
  const last = rest.find(({ id }) => !ids.has(id));
  return [last ? replaceTopic(topic, { ...topic, maxId: last.id }) : deleteTopic(topic)];
}
