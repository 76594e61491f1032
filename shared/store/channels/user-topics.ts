import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { getItem, getItems, queryIds, queryItems } from "../table/reads.ts";
import { put, remove, type Write } from "../table/writes.ts";

/** Zulip's numbers for visibility policies of topics. A topic without a policy has no record. */
export const visibilityPolicies = { none: 0, muted: 1, unmuted: 2, followed: 3 } as const;

export type VisibilityPolicy = Exclude<(typeof visibilityPolicies)[keyof typeof visibilityPolicies], 0>;

/** A user's visibility policy for a topic, identified ignoring case. The topic need not exist. */
export interface UserTopic {
  userId: number;
  channelId: number;
  /** With the case that was used when the policy was set. */
  topic: string;
  policy: VisibilityPolicy;
  /** UNIX seconds. */
  updatedAt: number;
}

const key = (userId: number, channelId: number, topic: string) => ({
  pk: `USER#${userId}`,
  sk: `USERTOPIC#${padded(channelId)}#${topic.toLowerCase()}`,
});

export const findUserTopic = (userId: number, channelId: number, topic: string) =>
  getItem<UserTopic>(key(userId, channelId, topic), corrected);

/** Several users' policies for a topic, in the order of `userIds`; 0.5 read units each. */
export const findUserTopicsForUsers = (userIds: readonly number[], channelId: number, topic: string) =>
  getItems<UserTopic>(
    userIds.map((userId) => key(userId, channelId, topic)),
    corrected,
  );

/** A user's policies for several topics, in their order; 0.5 read units each. */
export const findUserTopicsOf = (userId: number, topics: readonly Pick<UserTopic, "channelId" | "topic">[]) =>
  getItems<UserTopic>(
    topics.map(({ channelId, topic }) => key(userId, channelId, topic)),
    corrected,
  );

/** All of a user's topic policies; 0.5 read units for about 50. */
export const listUserTopics = (userId: number) =>
  queryItems<UserTopic>({ pk: `USER#${userId}`, prefix: "USERTOPIC#", ...corrected });

/**
 * An index of the users who have a policy for a topic: followers by their keys alone, so that a message finds those to notify
 * without reading all subscribers' policies, and the others for when the topic moves.
 */
const indexPartition = ({ channelId, topic }: TopicName) => `FOLLOWERS#${channelId}#${topic.toLowerCase()}`;

type TopicName = Pick<UserTopic, "channelId" | "topic">;

const followerPrefix = "USER#";
const otherPolicyPrefix = "OTHERPOLICY#USER#";

const indexKeys = (userTopic: UserTopic) => ({
  gsi3pk: indexPartition(userTopic),
  gsi3sk: `${userTopic.policy === visibilityPolicies.followed ? followerPrefix : otherPolicyPrefix}${padded(userTopic.userId)}`,
});

/** IDs of a topic's followers, ascending; 0.5 read units for about 80. */
export const listFollowerIds = (channelId: number, topic: string) =>
  queryIds({ index: "gsi3", pk: indexPartition({ channelId, topic }), prefix: followerPrefix });

/** IDs of all users who have a policy for a topic, ascending; 0.5 read units for about 80. */
export const listPolicyHolderIds = async (topic: TopicName) =>
  (await queryIds({ index: "gsi3", pk: indexPartition(topic) })).sort((a, b) => a - b);

/** Whether anybody has a policy for a topic; 0.5 read units. */
export const hasPolicyHolders = async (topic: TopicName) =>
  (await queryIds({ index: "gsi3", pk: indexPartition(topic), limit: 1, anyItem: true })).length > 0;

/** 3 write units: one is for the index. */
export const putUserTopic = (userTopic: UserTopic): Write => put(userTopicItem(userTopic));

const userTopicItem = (userTopic: UserTopic) => ({
  ...key(userTopic.userId, userTopic.channelId, userTopic.topic),
  ...indexKeys(userTopic),
  ...userTopic,
});

/** Replaces a policy, or creates one, on the condition that it is still `before`. */
export const replaceUserTopic = (before: UserTopic | undefined, after: UserTopic): Write =>
  put(userTopicItem(after), before ? isUnchanged(before) : { exists: false });

export const deleteUserTopic = ({
  userId,
  channelId,
  topic,
}: Pick<UserTopic, "userId" | "channelId" | "topic">): Write => remove(key(userId, channelId, topic));

/** Deletes a policy on the condition that it has not changed. */
export const deleteUserTopicIfUnchanged = (userTopic: UserTopic): Write =>
  remove(key(userTopic.userId, userTopic.channelId, userTopic.topic), isUnchanged(userTopic));

const isUnchanged = ({ topic, policy, updatedAt }: UserTopic) => ({
  exists: true,
  equals: { topic, policy, updatedAt },
});
