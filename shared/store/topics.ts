import { queryItems } from "./queries.ts";
import { getItem, getItems } from "./table.ts";
import { put, remove, type Write } from "./writes.ts";

/** A topic of a channel, known by its name ignoring case. */
export interface Topic {
  channelId: number;
  /** As last written. */
  name: string;
  /** ID of its newest message. */
  maxId: number;
  /** Who began to follow it by beginning it; they may have thought better of it since. */
  begunBy?: Set<number>;
}

const key = (channelId: number, name: string) => ({ pk: `CHANNEL#${channelId}`, sk: `TOPIC#${name.toLowerCase()}` });

/** 0.5 read units, or 1 when consistent. */
export const findTopic = (channelId: number, name: string, options: { consistent?: boolean } = {}) =>
  getItem<Topic>(key(channelId, name), options);

export const listTopics = (channelId: number) => queryItems<Topic>({ pk: `CHANNEL#${channelId}`, prefix: "TOPIC#" });

/** In the order asked for, undefined where there is none. 0.5 read units each. */
export const findTopics = (topics: readonly { channelId: number; name: string }[]) =>
  getItems<Topic>(topics.map(({ channelId, name }) => key(channelId, name)));

/**
 * Notes that a message was added to a topic, which begins with it if it is the first. When a later message has overtaken
 * it, the change is planned anew: with a later number.
 */
export const touchTopic = ({ channelId, name, maxId }: Topic, begunBy?: number): Write => ({
  kind: "update",
  key: key(channelId, name),
  update: {
    set: { channelId, name, maxId },
    ...(begunBy !== undefined && { add: { begunBy: new Set([begunBy]) } }),
  },
  when: { below: { maxId } },
  overtakable: true,
});

/** Writes what a topic has become; fails when its newest message is not the one that was read. */
export const replaceTopic = (before: Topic | undefined, after: Topic): Write =>
  put(
    { ...key(after.channelId, after.name), ...after },
    before ? { equals: { maxId: before.maxId } } : { exists: false },
  );

/** Removes a topic whose last message went; fails when a message has come. */
export const deleteTopic = (topic: Topic): Write =>
  remove(key(topic.channelId, topic.name), { equals: { maxId: topic.maxId } });
