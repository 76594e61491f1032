import { idOf, padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { put, remove, type Write } from "../table/writes.ts";

/** 1 muted, 2 unmuted (shown in a muted channel), 3 followed; a topic with none of these has no record. */
export type VisibilityPolicy = 1 | 2 | 3;

/** What a user has chosen for a topic, whose name counts ignoring case; there need not be such a topic. */
export interface UserTopic {
  userId: number;
  channelId: number;
  /** As it was written when the policy was chosen. */
  topic: string;
  policy: VisibilityPolicy;
  /** UNIX seconds. */
  updatedAt: number;
}

const key = (userId: number, channelId: number, topic: string) => ({
  pk: `USER#${userId}`,
  sk: `USERTOPIC#${padded(channelId)}#${topic.toLowerCase()}`,
});

/** 0.5 read units. */
export const findUserTopic = (userId: number, channelId: number, topic: string) =>
  getItem<UserTopic>(key(userId, channelId, topic));

/** What several users have chosen for a topic, in their order; 0.5 read units each. */
export const findChoicesForTopic = (userIds: readonly number[], channelId: number, topic: string) =>
  getItems<UserTopic>(userIds.map((userId) => key(userId, channelId, topic)));

/** All topics for which a user has chosen something; 0.5 read units for about 50. */
export const listUserTopics = (userId: number) => queryItems<UserTopic>({ pk: `USER#${userId}`, prefix: "USERTOPIC#" });

/** Followers are listed: of a topic's messages they alone are told. */
const followers = (channelId: number, topic: string) => `FOLLOWERS#${channelId}#${topic.toLowerCase()}`;

/** IDs of those who follow a topic, ascending; 0.5 read units for about 80. */
export const listFollowerIds = async (channelId: number, topic: string): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: followers(channelId, topic) })).map(({ gsi3sk }) =>
    idOf(gsi3sk),
  );

/** 2 write units, and 1 for the list of those who follow it. */
export const putUserTopic = (userTopic: UserTopic): Write => {
  const { userId, channelId, topic, policy } = userTopic;
  const listing = policy === 3 ? { gsi3pk: followers(channelId, topic), gsi3sk: `USER#${padded(userId)}` } : {};
  return put({ ...key(userId, channelId, topic), ...listing, ...userTopic });
};

export const deleteUserTopic = ({
  userId,
  channelId,
  topic,
}: Pick<UserTopic, "userId" | "channelId" | "topic">): Write => remove(key(userId, channelId, topic));
