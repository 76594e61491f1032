import { eventRetentionSeconds } from "../../limits.ts";
import { queryItems } from "../table/queries.ts";
import { getItem } from "../table/table.ts";
import { updateIf } from "../table/transactions.ts";
import { put, remove, update, type Write } from "../table/writes.ts";

/**
 * The topics of each channel with their newest messages, for whoever lists them. Senders do not write here, so that those
 * who write in one topic at once never wait for each other: what is in a topic its messages tell (`topicPartition`), and a
 * worker that follows the log brings these records up to what it has seen (shared/channels/topics.ts). Moves and deletions
 * change them with the messages.
 */

/** A topic of a channel, known by its name ignoring case. */
export interface Topic {
  channelId: number;
  /** As last written. */
  name: string;
  /** ID of its newest message. */
  maxId: number;
}

/** A topic as far as the worker has come. */
export interface TopicRecord extends Topic {
  /** Grows whenever messages go: who has read one before that must not note it as the newest. */
  changes?: number;
  /** Who began to follow it by beginning it, in tables written before they were listed as followers. */
  begunBy?: Set<number>;
}

/** What is stored before the worker has come to a topic from which messages have gone already. */
type Stored = Partial<TopicRecord> & Pick<TopicRecord, "changes">;

const key = (channelId: number, name: string) => ({ pk: `CHANNEL#${channelId}`, sk: `TOPIC#${name.toLowerCase()}` });

export type StoredTopic = Stored | undefined;

/** Strongly consistent: 1 read unit. */
export const findTopicRecord = (channelId: number, name: string): Promise<StoredTopic> =>
  getItem<Stored>(key(channelId, name), { consistent: true });

/** Who began a topic and follows it for that; 0.5 read units. */
export const findBeginners = async (channelId: number, name: string): Promise<ReadonlySet<number>> =>
  (await getItem<Stored>(key(channelId, name)))?.begunBy ?? new Set();

/** Strongly consistent: 1 read unit for about 40. */
export const listTopicRecords = async (channelId: number): Promise<TopicRecord[]> =>
  (await queryItems<Stored>({ pk: `CHANNEL#${channelId}`, prefix: "TOPIC#", consistent: true })).filter(isRecord);

const isRecord = (stored: Stored): stored is TopicRecord => stored.maxId !== undefined;

const unchanged = (before: StoredTopic) =>
  before ? { equals: { maxId: before.maxId, changes: before.changes } } : { exists: false };

/** Notes a topic's newest message; false when the record has changed since it was read. 1 write unit. */
export const raiseTopic = (before: StoredTopic, { channelId, name, maxId }: Topic): Promise<boolean> =>
  updateIf(
    key(channelId, name),
    { set: { channelId, name, maxId }, ...(before && isMark(before) && { remove: ["expiresAt"] }) },
    unchanged(before),
  );

const isMark = (stored: Stored) => stored.maxId === undefined;

/** Writes what a topic has become; fails when its record has changed since it was read. */
export const replaceTopic = (before: StoredTopic, { channelId, name, maxId }: Topic): Write =>
  put(
    {
      ...key(channelId, name),
      channelId,
      name,
      maxId,
      changes: (before?.changes ?? 0) + 1,
      ...(before?.begunBy && { begunBy: before.begunBy }),
    },
    unchanged(before),
  );

/** Removes a topic whose last message went; fails when its record has changed since it was read. */
export const deleteTopic = (before: TopicRecord): Write =>
  remove(key(before.channelId, before.name), unchanged(before));

/** Notes that messages go that are newer than the record says, so that nobody who has read them raises it to one. */
export const noteRemoval = (before: StoredTopic, channelId: number, name: string): Write =>
  update(
    key(channelId, name),
    {
      add: { changes: 1 },
      // Where there is no topic yet, there may never be one.
      ...(!before && { set: { expiresAt: Math.floor(Date.now() / 1000) + eventRetentionSeconds } }),
    },
    before ? { equals: { maxId: before.maxId } } : { exists: false },
  );
