import { eventRetentionSeconds } from "../../base/limits.ts";
import { nowSeconds } from "../../base/time.ts";
import { getItem, queryItems } from "../table/reads.ts";
import { updateIf } from "../table/single-writes.ts";
import { put, remove, update, type Write } from "../table/writes.ts";

/**
 * A directory of each channel's topics with their newest messages. Sending a message does not write it, so that concurrent
 * senders in one topic never conflict: a subscriber of the log updates the directory (shared/core/channels/topics.ts), and the
 * messages themselves (`topicPartition`) are authoritative. Moves and deletions update the directory in their own transactions.
 */

/** A topic of a channel, identified by its name ignoring case. */
export interface Topic {
  channelId: number;
  /** With the case that was last used. */
  name: string;
  /** The ID of the topic's newest message. */
  maxId: number;
}

/** A topic as of the worker's cursor. */
export interface TopicRecord extends Topic {
  /** Incremented when messages leave the topic: a message that the worker read before may no longer be the newest. */
  changes?: number;
  /** The last move from or to the topic: a later one lets it end first. */
  lastMove?: TopicMoveMark;
}

/** A move by the ID of its record, and when it last moved messages in UNIX seconds. */
export interface TopicMoveMark {
  id: number;
  at: number;
}

/** Without `maxId`: a placeholder for a topic without messages, or one that lost some before the worker first recorded it. */
type TopicItem = Partial<TopicRecord>;

const key = (channelId: number, name: string) => ({ pk: `CHANNEL#${channelId}`, sk: `TOPIC#${name.toLowerCase()}` });

export type StoredTopic = TopicItem | undefined;

export const findTopicRecord = (channelId: number, name: string): Promise<StoredTopic> =>
  getItem<TopicItem>(key(channelId, name));

/** 1 read unit for about 40 topics. */
export const listTopicRecords = async (channelId: number): Promise<TopicRecord[]> =>
  (await queryItems<TopicItem>({ pk: `CHANNEL#${channelId}`, prefix: "TOPIC#" })).filter(isRecord);

const isRecord = (stored: TopicItem): stored is TopicRecord => stored.maxId !== undefined;

const unchanged = (before: StoredTopic) =>
  before ? { equals: { maxId: before.maxId, changes: before.changes } } : { exists: false };

/** The placeholder expires, because the topic may never come to exist. */
const placeholderExpiry = () => ({ expiresAt: nowSeconds() + eventRetentionSeconds });

/** Records a topic's newest message; false when the record has changed since it was read. 1 write unit. */
export const raiseTopicMaxId = (before: StoredTopic, { channelId, name, maxId }: Topic): Promise<boolean> =>
  updateIf(
    key(channelId, name),
    { set: { channelId, name, maxId }, ...(before && isPlaceholder(before) && { remove: ["expiresAt"] }) },
    unchanged(before),
  );

const isPlaceholder = (stored: TopicItem) => stored.maxId === undefined;

/** Replaces a topic after messages moved or left it; fails when its record has changed since it was read. */
export const replaceTopic = (
  before: StoredTopic,
  { channelId, name, maxId }: Topic,
  lastMove = before?.lastMove,
): Write =>
  put(
    {
      ...key(channelId, name),
      channelId,
      name,
      maxId,
      ...withNextChange(before, lastMove),
    },
    unchanged(before),
  );

/** Deletes a topic that has no messages left, but for its last move; fails when its record has changed since it was read. */
export const deleteTopic = (before: TopicRecord, lastMove = before.lastMove): Write => {
  const itemKey = key(before.channelId, before.name);
  if (!lastMove) return remove(itemKey, unchanged(before));
  return put({ ...itemKey, ...withNextChange(before, lastMove), ...placeholderExpiry() }, unchanged(before));
};

const withNextChange = (before: StoredTopic, lastMove: TopicMoveMark | undefined) => ({
  changes: (before?.changes ?? 0) + 1,
  ...(lastMove && { lastMove }),
});

/**
 * Records that messages other than the newest leave the topic. It makes `raiseTopicMaxId` fail for a worker that read
 * those messages before, and `replaceTopic` for a concurrent removal. That of a move fails when another one came first.
 */
export const recordMessagesRemoved = (
  before: StoredTopic,
  { channelId, topic }: { channelId: number; topic: string },
  lastMove?: TopicMoveMark,
): Write =>
  update(
    key(channelId, topic),
    { add: { changes: 1 }, set: { ...(lastMove && { lastMove }), ...(!before && placeholderExpiry()) } },
    before && !lastMove ? { equals: { maxId: before.maxId } } : unchanged(before),
  );
