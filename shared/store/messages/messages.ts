import { corrected } from "../table/consistency.ts";
import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { getItem, getItems, queryIds, queryItems } from "../table/reads.ts";
import { readOnce } from "../table/shared-reads.ts";
import { type Changes, check, create, type Item, remove, update, type Write } from "../table/writes.ts";
import { conversationName } from "./conversations.ts";

/** A message. It is stored once, regardless of the number of recipients. */
export interface Message {
  id: number;
  senderId: number;
  /** Channel messages only, like `topic`. */
  channelId?: number;
  topic?: string;
  /** Direct messages only: all participants, sorted. */
  userIds?: number[];
  recipientId: number;
  content: string;
  html: string;
  /** UNIX seconds. */
  sentAt: number;
  client: string;
  /** Whether the text begins with "/me", so that clients show it as an action of the sender. */
  isMe?: true;
  /** Whether the message counts as read by its sender. */
  readBySender?: true;
  /** Those who had muted the sender when it was sent: it counts as read by them. Maybe some who did not receive it. */
  mutedBy?: number[];
  topicLinks?: { text: string; url: string }[] | undefined;
  /** Paths of the uploaded files that the message links to (`uploads.ts`). */
  uploads?: string[];
  /**
   * The message ID allocated when the message was moved into a channel with protected history. Access is decided as if the
   * message had been sent under this ID.
   */
  arrivedAs?: number;
  /** For optimistic concurrency: each edit and move increments it. */
  revision?: number;
  /** UNIX seconds of the last edit of the text. */
  lastEditAt?: number;
  /** UNIX seconds of the last move to another channel or topic, except for resolving the topic. */
  lastMovedAt?: number;
  /** Newest first. Previous contents have items of their own (`edits.ts`). */
  editHistory?: EditEntry[];
  /** Whether there are submessages, which have items of their own (`submessages.ts`). */
  hasSubmessages?: true;
  /** Whether anybody has ever starred it: what the stars have of it must follow when it is moved or deleted. */
  hasStars?: true;
  /** The users who reacted with an emoji (`reactions.ts`). */
  [usersAttribute: `by:${string}`]: Set<number>;
  /** The name and sequence number of an emoji's first use. */
  [firstUseAttribute: `as:${string}`]: { name: string; since: number };
}

/** One edit of a message's text, topic, channel, or several of these. */
export interface EditEntry {
  userId: number;
  /** UNIX seconds. */
  at: number;
  prevTopic?: string;
  topic?: string;
  prevChannelId?: number;
  channelId?: number;
  /** Only of an edit of the content: the `number` of the previous content (`edits.ts`), and its UTF-8 bytes. */
  formerText?: number;
  formerBytes?: number;
  /** Whether the previous content was stored and has been deleted, because later edits needed its room. */
  textDropped?: true;
}

/** The partition with a message, its previous contents and its submessages. */
export const messagePartition = (id: number) => `MESSAGE#${padded(id)}`;
export const messageKey = (id: number) => ({ pk: messagePartition(id), sk: "MESSAGE" });
const key = messageKey;

/** Partitions of the indexes, in which messages are sorted by ID. */
export const channelPartition = (channelId: number) => `CHANNEL#${channelId}`;
export const topicPartition = (channelId: number, topic: string) => `TOPIC#${channelId}#${topic.toLowerCase()}`;
export const conversationPartition = (userIds: readonly number[]) => `DM#${conversationName(userIds)}`;
const pointerPartition = (userId: number) => `DMS#${userId}`;

/** gsi1: the channel or conversation; gsi2: the topic; gsi3: the sender. */
const indexKeys = (message: Message) => {
  const sk = padded(message.id);
  const keys =
    message.channelId === undefined
      ? { gsi1pk: conversationPartition(message.userIds ?? []), gsi1sk: sk }
      : {
          gsi1pk: channelPartition(message.channelId),
          gsi1sk: sk,
          gsi2pk: topicPartition(message.channelId, message.topic ?? ""),
          gsi2sk: sk,
        };
  return { ...keys, gsi3pk: `SENDER#${message.senderId}`, gsi3sk: sk };
};

/** The HTML of a message without markup. Most messages have none, and their HTML is not stored. */
const plainHtml = (content: string) => `<p>${content}</p>`;
type Stored = WithPackedHtml<Message>;
const toItem = (message: Message): Stored =>
  message.html === plainHtml(message.content) ? { ...message, html: undefined } : packHtml(message);
/** Restores the HTML. Every read of whole messages must call this. */
const fromItem = (message: Stored): Message =>
  message.packedHtml
    ? unpackHtml<Message>(message)
    : // Mutates the item, as copies of a hundred messages cost more than reading them; a second reader sets the same value.
      Object.assign(message, { html: message.html ?? plainHtml(message.content) });

/**
 * The message and, for a direct message, a pointer in each participant's list. A channel message below 1 KB costs 5 write
 * units, regardless of the number of subscribers.
 */
export const createMessage = (message: Message): Write[] => [
  create({ ...key(message.id), ...indexKeys(message), ...toItem(message) }),
  ...(message.userIds ?? []).map((userId) => {
    const { id, senderId, userIds, sentAt, readBySender, mutedBy } = message;
    return create({
      pk: pointerPartition(userId),
      sk: padded(id),
      id,
      senderId,
      userIds,
      sentAt,
      readBySender,
      mutedBy,
    });
  }),
];

/** The attributes that edits and moves change. */
export type RevisableFields = Pick<
  Message,
  | "content"
  | "html"
  | "isMe"
  | "uploads"
  | "channelId"
  | "topic"
  | "topicLinks"
  | "recipientId"
  | "arrivedAs"
  | "lastEditAt"
  | "lastMovedAt"
> & { editHistory: EditEntry[] };

/** Changes a message; fails when it has been edited, moved, deleted or starred for the first time since it was read. */
export function reviseMessage(before: Message, change: Changes<RevisableFields>): Write {
  const after = { ...before, ...change } as Message;
  const { html, packedHtml } = toItem(after);
  const htmlAttributes = "html" in change ? { html, packedHtml } : {};
  const set = { ...change, ...htmlAttributes, ...indexKeys(after), revision: (before.revision ?? 0) + 1 };
  const removedNames = Object.entries(set).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return update(key(before.id), { set, remove: removedNames }, { exists: true, equals: unchangedSince(before) });
}

const unchangedSince = ({ revision, hasStars }: Message) => ({ revision, hasStars });

/**
 * Notes that a message is starred; fails when it was deleted or moved to another channel since it was read. In a transaction 2 write
 * units for each KB, and 2 more for the message's first star.
 */
export function noteStar({ id, hasStars, channelId, arrivedAs }: Message): Write {
  const when = { exists: true, equals: { channelId, arrivedAs } };
  return hasStars ? check(key(id), when) : update(key(id), { set: { hasStars: true } }, when);
}

/** Deletes a message and its pointers; fails like `reviseMessage`. */
export const deleteMessage = (message: Message): Write[] => [
  remove(key(message.id), { exists: true, equals: unchangedSince(message) }),
  ...(message.userIds ?? []).map((userId) => remove({ pk: pointerPartition(userId), sk: padded(message.id) })),
];

/** Fails when the message is not in the channel, or no longer. */
export const checkInChannel = (id: number, channelId: number): Write => check(key(id), { equals: { channelId } });

/** Fails when the message is deleted. */
export const checkNotDeleted = (id: number): Write => check(key(id), { exists: true });

/** Keys of the other items in a message's partition, such as previous contents and submessages. */
export const listDetailKeys = async (id: number) =>
  (await queryItems<Item>({ pk: messagePartition(id) }))
    .filter(({ sk }) => sk !== "MESSAGE")
    .map(({ pk, sk }) => ({ pk, sk }));

export async function findMessage(id: number): Promise<Message | undefined> {
  const found = await getItem<Stored>(key(id));
  return found && fromItem(found);
}

/** In the order of `ids`, undefined where there is none; 0.5 read units for each 4 KB. */
export const findMessages = async (ids: readonly number[]) =>
  (await getItems<Stored>(ids.map(key), corrected)).map((found) => found && fromItem(found));

/** Like `findMessages`, but maybe as the running invocation has read them before. The log's subscribers work on the same ones. */
export const findMessagesOnce = (ids: readonly number[]) =>
  Promise.all(ids.map((id) => readOnce(`message ${id}`, async () => (await findMessages([id]))[0])));

export interface RangeQuery {
  /** IDs from this one on, inclusive. */
  from: number;
  /** IDs up to this one, inclusive. */
  to: number;
  descending: boolean;
  limit: number;
}

/** Of a query whose sort keys are padded IDs. */
export const rangeOf = ({ from, to, descending, limit }: RangeQuery) => ({
  from: padded(from),
  to: padded(to),
  descending,
  limit,
});

/** The messages of a partition, at most `limit`; 0.5 read units for each 4 KB read. */
export const readPartition = async (index: "gsi1" | "gsi2", pk: string, query: RangeQuery): Promise<Message[]> =>
  (await queryItems<Stored>({ index, pk, ...rangeOf(query) })).map(fromItem);

/** The attributes that tell where a message is and whether it is unread. */
export type MessageSummary = Pick<
  Message,
  "id" | "senderId" | "channelId" | "topic" | "userIds" | "sentAt" | "readBySender" | "mutedBy" | "arrivedAs"
>;
const summaryFields = [
  "id",
  "senderId",
  "channelId",
  "topic",
  "userIds",
  "sentAt",
  "readBySender",
  "mutedBy",
  "arrivedAs",
];

/** Like `readPartition`, but only summaries: the same read units, less transfer. */
export const readPartitionSummaries = (
  index: "gsi1" | "gsi2",
  pk: string,
  query: RangeQuery,
): Promise<MessageSummary[]> => queryItems<MessageSummary>({ index, pk, ...rangeOf(query), fields: summaryFields });

/** Whether a partition has a message. 0.5 read units for each 4 KB of it. */
export const hasMessages = async (index: "gsi1" | "gsi2", pk: string): Promise<boolean> =>
  (await queryItems({ index, pk, limit: 1, fields: ["id"], anyItem: true })).length > 0;

/** Summaries of the direct messages that a user sent or received, at most `limit`; 0.5 read units for about 30. */
export const readDirectMessages = (userId: number, query: RangeQuery): Promise<MessageSummary[]> =>
  queryItems<MessageSummary>({ pk: pointerPartition(userId), ...rangeOf(query), ...corrected });

/** IDs of the messages that a user sent, at most `limit`. The caller must check access. 0.5 read units for about 40. */
export const readIdsBySender = (senderId: number, query: RangeQuery) =>
  queryIds({ index: "gsi3", pk: `SENDER#${senderId}`, ...rangeOf(query) });
