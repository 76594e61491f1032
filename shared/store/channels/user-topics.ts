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

/** Followers are indexed, so that a message finds those to notify without reading all subscribers' policies. */
const followersPartition = (channelId: number, topic: string) => `FOLLOWERS#${channelId}#${topic.toLowerCase()}`;

/** IDs of a topic's followers, ascending; 0.5 read units for about 80. */
export const listFollowerIds = (channelId: number, topic: string) =>
  queryIds({ index: "gsi3", pk: followersPartition(channelId, topic) });

/** 2 write units, and 1 for the index of followers. */
export const putUserTopic = (userTopic: UserTopic): Write => {
  const { userId, channelId, topic, policy } = userTopic;
  const indexKeys =
    policy === visibilityPolicies.followed
      ? { gsi3pk: followersPartition(channelId, topic), gsi3sk: `USER#${padded(userId)}` }
      : {};
  return put({ ...key(userId, channelId, topic), ...indexKeys, ...userTopic });
};

export const deleteUserTopic = ({
  userId,
  channelId,
  topic,
}: Pick<UserTopic, "userId" | "channelId" | "topic">): Write => remove(key(userId, channelId, topic));
