import { getItem, getItems, queryItems } from "./table.ts";
import { update, type Write } from "./writes.ts";

/** A topic of a channel, known by its name ignoring case. */
export interface Topic {
  channelId: number;
  /** As last written. */
  name: string;
  /** ID of its newest message. */
  maxId: number;
}

const key = (channelId: number, name: string) => ({ pk: `CHANNEL#${channelId}`, sk: `TOPIC#${name.toLowerCase()}` });

/** 0.5 read units. */
export const findTopic = (channelId: number, name: string) => getItem<Topic>(key(channelId, name));

export const listTopics = (channelId: number) => queryItems<Topic>({ pk: `CHANNEL#${channelId}`, prefix: "TOPIC#" });

/** In the order asked for, undefined where there is none. 0.5 read units each. */
export const findTopics = (topics: readonly { channelId: number; name: string }[]) =>
  getItems<Topic>(topics.map(({ channelId, name }) => key(channelId, name)));

/** Notes that a message was added to a topic, which begins with it if it is the first. */
export const touchTopic = ({ channelId, name, maxId }: Topic): Write =>
  update(key(channelId, name), { set: { channelId, name, maxId } });
