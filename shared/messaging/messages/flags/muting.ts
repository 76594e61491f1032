import { listUserTopics, type VisibilityPolicy, visibilityPolicies } from "../../../store/channels/user-topics.ts";
import type { Message } from "../../../store/messages/messages.ts";
import type { Reader } from "../reader.ts";

/** A reader's visibility policies (1 muted, 2 unmuted, 3 followed), by topic key. */
export type TopicPolicies = ReadonlyMap<string, VisibilityPolicy>;

const topicKey = (channelId: number, topic: string) => `${channelId}#${topic.toLowerCase()}`;

/** Reads the policies of all topics for which the reader has set one. Costs 0.5 read units per 50 topics. */
export async function readTopicPolicies(reader: Reader): Promise<TopicPolicies> {
  const userTopics = reader.caller ? await listUserTopics(reader.caller.id) : [];
  return new Map(userTopics.map(({ channelId, topic, policy }) => [topicKey(channelId, topic), policy]));
}

type TopicFields = Pick<Message, "channelId" | "topic">;

export const isFollowed = ({ channelId, topic = "" }: TopicFields, policies: TopicPolicies) =>
  channelId !== undefined && policies.get(topicKey(channelId, topic)) === visibilityPolicies.followed;

/** Whether a message's topic is muted; or its channel, unless the topic is unmuted or followed. */
export function isMuted(reader: Reader, { channelId, topic = "" }: TopicFields, policies: TopicPolicies): boolean {
  if (channelId === undefined) return false;
  const policy = policies.get(topicKey(channelId, topic));
  return policy === undefined ? reader.subscription(channelId)?.isMuted === true : policy === visibilityPolicies.muted;
}

/** Whether the topic itself is muted: in a view of one channel, muting the channel does not count. */
export const isTopicMuted = ({ channelId, topic = "" }: TopicFields, policies: TopicPolicies) =>
  channelId !== undefined && policies.get(topicKey(channelId, topic)) === visibilityPolicies.muted;
