import type { Message } from "../store/messages.ts";
import { listUserTopics, type VisibilityPolicy } from "../store/user-topics.ts";
import type { Reader } from "./reader.ts";

/** What a reader has chosen for topics. */
export type TopicPolicies = ReadonlyMap<string, VisibilityPolicy>;

const name = (channelId: number, topic: string) => `${channelId}#${topic.toLowerCase()}`;

/** 0.5 read units for about 50 topics. */
export async function readTopicPolicies(reader: Reader): Promise<TopicPolicies> {
  const chosen = reader.caller ? await listUserTopics(reader.caller.id) : [];
  return new Map(chosen.map(({ channelId, topic, policy }) => [name(channelId, topic), policy]));
}

type Placed = Pick<Message, "channelId" | "topic">;

export const isFollowed = ({ channelId, topic = "" }: Placed, policies: TopicPolicies) =>
  channelId !== undefined && policies.get(name(channelId, topic)) === 3;

/** Whether a message's topic is muted, or its channel without the topic being unmuted or followed. */
export function isMuted(reader: Reader, { channelId, topic = "" }: Placed, policies: TopicPolicies): boolean {
  if (channelId === undefined) return false;
  const policy = policies.get(name(channelId, topic));
  return policy === undefined ? reader.subscription(channelId)?.isMuted === true : policy === 1;
}

/** Whether its topic alone is muted: in a view of one channel the channel's own muting does not count. */
export const isTopicMuted = ({ channelId, topic = "" }: Placed, policies: TopicPolicies) =>
  channelId !== undefined && policies.get(name(channelId, topic)) === 1;
