import { findMessages, type Message, readPartition, topicPartition } from "../store/messages.ts";
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
  const partition = topicPartition(topic.channelId, topic.name);
  for (let to = Number.MAX_SAFE_INTEGER; ; ) {
    const page = await readPartition("gsi2", partition, { from: 0, to, descending: true, limit: ids.size + 1 });
    const last = await newestStanding(
      topic,
      page.filter(({ id }) => !ids.has(id)),
    );
    if (last) return [replaceTopic(topic, { ...topic, maxId: last.id })];
    const oldest = page.at(-1);
    if (!oldest || page.length <= ids.size) return [deleteTopic(topic)];
    to = oldest.id - 1;
  }
}

/** The index may be behind and name messages that have just gone: 1 read unit to know that the newest has not. */
async function newestStanding(topic: Topic, messages: readonly Message[]): Promise<Message | undefined> {
  const place = { channelId: topic.channelId, topic: topic.name };
  for (const part of [messages.slice(0, 1), messages.slice(1)]) {
    const found = await findMessages(
      part.map(({ id }) => id),
      { consistent: true },
    );
    const standing = found.find(
      (one) => one && isSameTopic({ channelId: one.channelId ?? 0, topic: one.topic ?? "" }, place),
    );
    if (standing) return standing;
  }
  return undefined;
}
