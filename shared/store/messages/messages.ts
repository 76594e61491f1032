import { padded } from "../table/keys.ts";
import { packHtml, unpackHtml, type WithPackedHtml } from "../table/packing.ts";
import { queryItems } from "../table/queries.ts";
import { getItem, getItems } from "../table/table.ts";
import { type Changes, create, type Item, remove, update, type Write } from "../table/writes.ts";
import { conversationName } from "./conversations.ts";

/** A message as it is stored, once, whoever receives it. */
export interface Message {
  id: number;
  senderId: number;
  /** Channel messages only, with their topic. */
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
  isMe?: true;
  /** Whether it starts as read by its sender. */
  readBySender?: true;
  topicLinks?: { text: string; url: string }[] | undefined;
  /** Paths of the uploaded files that it claims (`uploads.ts`). */
  uploads?: string[];
  /**
   * The number that it took when it was moved into a channel with protected history: whoever was subscribed then reads it
   * as if it had been sent then.
   */
  arrivedAs?: number;
  /** Grows with each edit and move: a change that was planned on an older one does not apply. */
  revision?: number;
  /** UNIX seconds of the last edit of the text. */
  lastEditAt?: number;
  /** UNIX seconds of the last move to another channel or topic, resolving aside. */
  lastMovedAt?: number;
  /** Newest first; former texts are kept beside the message (`edits.ts`). */
  editHistory?: EditEntry[];
  /** Whether there are submessages, which are kept beside the message (`submessages.ts`). */
  hasSubmessages?: true;
  /** Reactions (`reactions.ts`). */
  [reacted: `by:${string}`]: Set<number>;
  [named: `as:${string}`]: { name: string; since: number };
}

/** One edit of a message: of its text, its topic, its channel or several of these. */
export interface EditEntry {
  userId: number;
  /** UNIX seconds. */
  at: number;
  prevTopic?: string;
  topic?: string;
  prevChannelId?: number;
  channelId?: number;
  /** An edit of the text: the number under which the former one is kept. */
  formerText?: number;
}

/** The partition that holds a message and what is kept beside it. */
export const messagePartition = (id: number) => `MESSAGE#${padded(id)}`;
export const messageKey = (id: number) => ({ pk: messagePartition(id), sk: "MESSAGE" });
const key = messageKey;

/** Partitions of the indexes, in which messages stand in the order of their IDs. */
export const channelPartition = (channelId: number) => `CHANNEL#${channelId}`;
export const topicPartition = (channelId: number, topic: string) => `TOPIC#${channelId}#${topic.toLowerCase()}`;
export const conversationPartition = (userIds: readonly number[]) => `DM#${conversationName(userIds)}`;
const pointerPartition = (userId: number) => `DMS#${userId}`;

/** gsi1: the channel or conversation; gsi2: the topic; gsi3: the sender. */
const indexKeys = (message: Message) => {
  const sk = padded(message.id);
  const place =
    message.channelId === undefined
      ? { gsi1pk: conversationPartition(message.userIds ?? []), gsi1sk: sk }
      : {
          gsi1pk: channelPartition(message.channelId),
          gsi1sk: sk,
          gsi2pk: topicPartition(message.channelId, message.topic ?? ""),
          gsi2sk: sk,
        };
  return { ...place, gsi3pk: `SENDER#${message.senderId}`, gsi3sk: sk };
};

/** The HTML of a text in which the renderer found nothing to do, as of most messages: it need not be stored beside it. */
const plainHtml = (content: string) => `<p>${content}</p>`;
type Stored = WithPackedHtml<Message>;
const stored = (message: Message): Stored =>
  message.html === plainHtml(message.content) ? { ...message, html: undefined } : packHtml(message);
/** A stored message with its HTML: whatever reads messages from the table goes through here. */
const whole = (message: Stored): Message =>
  message.packedHtml
    ? unpackHtml<Message>(message)
    : // What was read is nobody else's, and a hundred copies of messages cost more than their reading.
      Object.assign(message, { html: message.html ?? plainHtml(message.content) });

/**
 * The message itself and, for a direct message, one pointer for each participant. A channel message below 1 KB costs
 * 5 write units, however many are subscribed.
 */
export const createMessage = (message: Message): Write[] => [
  create({ ...key(message.id), ...indexKeys(message), ...stored(message) }),
  ...(message.userIds ?? []).map((userId) => {
    const { id, senderId, userIds, sentAt, readBySender } = message;
    return create({ pk: pointerPartition(userId), sk: padded(id), id, senderId, userIds, sentAt, readBySender });
  }),
];

/** A message's text and place, which edits and moves change. */
export type Revised = Pick<
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

/** Changes a message that is still as it was read. */
export function reviseMessage(before: Message, change: Changes<Revised>): Write {
  const after = { ...before, ...change } as Message;
  const { html, packedHtml } = stored(after);
  const text = "html" in change ? { html, packedHtml } : {};
  const set = { ...change, ...text, ...indexKeys(after), revision: (before.revision ?? 0) + 1 };
  const gone = Object.entries(set).flatMap(([name, value]) => (value === undefined ? [name] : []));
  return update(key(before.id), { set, remove: gone }, { exists: true, equals: { revision: before.revision } });
}

/** Removes a message, with its pointers, that is still as it was read. */
export const deleteMessage = (message: Message): Write[] => [
  remove(key(message.id), { exists: true, equals: { revision: message.revision } }),
  ...(message.userIds ?? []).map((userId) => remove({ pk: pointerPartition(userId), sk: padded(message.id) })),
];

/** Keys of what is kept beside a message: former texts and submessages. */
export const listDetailKeys = async (id: number) =>
  (await queryItems<Item>({ pk: messagePartition(id), consistent: true }))
    .filter(({ sk }) => sk !== "MESSAGE")
    .map(({ pk, sk }) => ({ pk, sk }));

export async function findMessage(id: number): Promise<Message | undefined> {
  const found = await getItem<Stored>(key(id), { consistent: true });
  return found && whole(found);
}

/** In the order of `ids`, undefined where there is none; 0.5 read units for each 4 KB. */
export const findMessages = async (ids: readonly number[], options: { consistent?: boolean } = {}) =>
  (await getItems<Stored>(ids.map(key), options)).map((found) => found && whole(found));

export interface RangeQuery {
  /** IDs from this one on, inclusive. */
  from: number;
  /** IDs up to this one, inclusive. */
  to: number;
  descending: boolean;
  limit: number;
}

const range = ({ from, to, descending, limit }: RangeQuery) => ({
  from: padded(from),
  to: padded(to),
  descending,
  limit,
});

/** The messages of a partition, at most `limit`; 0.5 read units for each 4 KB read. */
export const readPartition = async (index: "gsi1" | "gsi2", pk: string, query: RangeQuery): Promise<Message[]> =>
  (await queryItems<Stored>({ index, pk, ...range(query) })).map(whole);

/** What of a message says where it is and whether it is read. */
export type Brief = Pick<
  Message,
  "id" | "senderId" | "channelId" | "topic" | "userIds" | "sentAt" | "readBySender" | "arrivedAs"
>;
const briefFields = ["id", "senderId", "channelId", "topic", "userIds", "sentAt", "readBySender", "arrivedAs"];

/** The same in brief: it costs what the messages cost, but few bytes travel. */
export const readPartitionBriefly = (index: "gsi1" | "gsi2", pk: string, query: RangeQuery): Promise<Brief[]> =>
  queryItems<Brief>({ index, pk, ...range(query), fields: briefFields });

/** The direct messages that a user sent or received, in brief, at most `limit`; 0.5 read units for about 30. */
export const readDirectMessages = (userId: number, query: RangeQuery): Promise<Brief[]> =>
  queryItems<Brief>({ pk: pointerPartition(userId), ...range(query) });

/** IDs of a user's messages, whoever may read them, at most `limit`; 0.5 read units for about 40. */
export const readIdsBySender = async (senderId: number, query: RangeQuery): Promise<number[]> =>
  (await queryItems<{ gsi3sk: string }>({ index: "gsi3", pk: `SENDER#${senderId}`, ...range(query) })).map(
    ({ gsi3sk }) => Number(gsi3sk),
  );

/** The IDs alone. */
export const readDirectMessageIds = async (userId: number, query: RangeQuery): Promise<number[]> =>
  (await readDirectMessages(userId, query)).map(({ id }) => id);
