import { corrected } from "../table/consistency.ts";
import { idOf, padded } from "../table/keys.ts";
import { getItems, queryIds, queryItems } from "../table/reads.ts";
import { put, type Update, update, type Write } from "../table/writes.ts";
import { type Message, type MessageSummary, noteStar, type RangeQuery, rangeOf } from "./messages.ts";

/** Flags that few of a user's messages have. Each message that ever had one has an item for that user. */

const sparseFlags = ["starred", "collapsed", "mentioned", "group_mentioned", "topic_wildcard_mentioned"] as const;
export type SparseFlag = (typeof sparseFlags)[number];
/** All but stars, which also say where their message is. */
export type PlainFlag = Exclude<SparseFlag, "starred">;

interface FlagsItem {
  sk: string;
  flags?: Set<SparseFlag>;
}

const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `FLAGS#${padded(messageId)}` });

const mentionPartition = (userId: number) => `MENTIONED#${userId}`;
const starPartition = (userId: number) => `STARRED#${userId}`;
const starsPartition = (messageId: number) => `STARS#${padded(messageId)}`;

/** Both kinds of mention share a partition. */
const isListedMention = (flag: SparseFlag) => flag === "mentioned" || flag === "topic_wildcard_mentioned";

const addition = (userId: number, messageId: number, flags: readonly PlainFlag[]): Update => ({
  add: { flags: new Set<SparseFlag>(flags) },
  ...(flags.some(isListedMention) && { set: { gsi1pk: mentionPartition(userId), gsi1sk: padded(messageId) } }),
});

const removal = (flags: readonly SparseFlag[]): Update => ({
  subtract: { flags: new Set(flags) },
  remove: [
    ...(flags.some(isListedMention) ? ["gsi1pk", "gsi1sk"] : []),
    ...(flags.includes("starred") ? ["gsi2pk", "gsi2sk", "gsi3pk", "gsi3sk"] : []),
  ],
});

/** Adds flags other than stars to a message; 2 write units in a transaction, and 1 for each flag that can be listed. */
export const addFlags = (userId: number, messageId: number, flags: readonly PlainFlag[]): Write =>
  update(key(userId, messageId), addition(userId, messageId, flags));

/** Removes flags from a message. Idempotent. */
export const removeFlags = (userId: number, messageId: number, flags: readonly SparseFlag[]): Write =>
  update(key(userId, messageId), removal(flags));

/** Removes a flag; fails its transaction when the message lacks it already. */
export const takeFlag = (userId: number, messageId: number, flag: SparseFlag): Write =>
  update(key(userId, messageId), removal([flag]), { contains: { flags: flag } });

/** Adds a flag other than a star; fails its transaction when the message has it already. */
export const giveFlag = (userId: number, messageId: number, flag: "collapsed"): Write =>
  update(key(userId, messageId), addition(userId, messageId, [flag]), { lacks: { flags: flag } });

/** The maximum number of flagged messages that one query reads. */
const maxRangeItems = 200;
/** Up to this many messages are read one by one, because a query would also read every flagged message between them. */
const maxSingleReads = 4;

/**
 * The flags of the given messages, by ID. One query of their range, 0.5 read units for about 40 flagged messages. A few
 * messages, and those beyond `maxRangeItems` flagged ones, are read one by one.
 */
export async function findFlags(userId: number, ids: readonly number[]): Promise<Map<number, Set<SparseFlag>>> {
  if (ids.length === 0) return new Map();
  const wantedIds = new Set(ids);
  const [inRange, completeUpTo] = wantedIds.size <= maxSingleReads ? [[], 0] : await readRange(userId, wantedIds);
  const singleIds = [...wantedIds].filter((id) => id > completeUpTo);
  const singleItems = await getItems<FlagsItem>(
    singleIds.map((id) => key(userId, id)),
    corrected,
  );
  return new Map(
    [...inRange, ...singleItems.flatMap((item) => item ?? [])]
      .map((item) => [idOf(item.sk), item.flags ?? new Set<SparseFlag>()] as const)
      .filter(([id]) => wantedIds.has(id)),
  );
}

/** The flagged messages in the range of `ids`, and the ID up to which they are complete. */
async function readRange(userId: number, ids: ReadonlySet<number>): Promise<[FlagsItem[], number]> {
  const items = await queryItems<FlagsItem>({
    pk: `USER#${userId}`,
    from: key(userId, Math.min(...ids)).sk,
    to: key(userId, Math.max(...ids)).sk,
    limit: maxRangeItems,
    ...corrected,
  });
  const last = items.length < maxRangeItems ? undefined : items.at(-1);
  return [items, last ? idOf(last.sk) : Number.POSITIVE_INFINITY];
}

/** The messages that mention a user by name or by a topic wildcard, with all flags, at most `limit`; 0.5 read units for about 40. */
export const listMentioned = async (
  userId: number,
  query: RangeQuery,
): Promise<{ id: number; flags: Set<SparseFlag> | undefined }[]> =>
  (await queryItems<FlagsItem>({ pk: mentionPartition(userId), index: "gsi1", ...rangeOf(query) })).map((item) => ({
    id: idOf(item.sk),
    flags: item.flags,
  }));

/**
 * What tells whether somebody can see the message that they starred: where it is. A star keeps a copy, so that to list the stars takes no
 * read of their messages.
 */
export type StarPlace = Pick<MessageSummary, "channelId" | "arrivedAs" | "sentAt">;

/** A user's star of a message. */
export interface Star {
  userId: number;
  messageId: number;
  /** Undefined of a star from version 0.1.0. */
  place: StarPlace | undefined;
  /** The sort key in the index of the user's stars, which has the message's ID and the place. */
  stored: string;
}

interface StarItem extends FlagsItem {
  pk: string;
  gsi3sk: string;
}

const starSortKey = (messageId: number, { channelId, arrivedAs, sentAt }: StarPlace) =>
  [padded(messageId), channelId ?? "", arrivedAs ?? "", sentAt].join("#");

function toStar({ pk, sk, gsi3sk }: StarItem): Star {
  const [, channelId, arrivedAs, sentAt] = gsi3sk.split("#");
  const place = sentAt !== undefined && {
    ...(channelId && { channelId: Number(channelId) }),
    ...(arrivedAs && { arrivedAs: Number(arrivedAs) }),
    sentAt: Number(sentAt),
  };
  return { userId: idOf(pk), messageId: idOf(sk), place: place || undefined, stored: gsi3sk };
}

type Starred = StarPlace & Pick<Message, "id">;

const starAddition = (userId: number, message: Starred): Update => ({
  add: { flags: new Set<SparseFlag>(["starred"]) },
  set: {
    ...{ gsi2pk: starsPartition(message.id), gsi2sk: `USER#${userId}` },
    ...{ gsi3pk: starPartition(userId), gsi3sk: starSortKey(message.id, message) },
  },
});

/** Adds any flags to a message that is created with `hasStars`, as an import does. */
export function addImportedFlags(userId: number, message: Starred, flags: readonly SparseFlag[]): Write {
  const others = addition(
    userId,
    message.id,
    flags.filter((flag) => flag !== "starred"),
  );
  if (!flags.includes("starred")) return update(key(userId, message.id), others);
  const set = { ...others.set, ...starAddition(userId, message).set };
  return update(key(userId, message.id), { add: { flags: new Set(flags) }, set });
}

/**
 * Stars a message; fails its transaction when the user has starred it already, or the message was deleted or moved to another channel
 * since it was read. 4 write units and what `noteStar` costs.
 */
export const giveStar = (userId: number, message: Message): Write[] => [
  update(key(userId, message.id), starAddition(userId, message), { lacks: { flags: "starred" } }),
  noteStar(message),
];

/** Takes a star away; fails its transaction when it was taken away or placed anew since it was read. */
export const dropStar = ({ userId, messageId, stored }: Star): Write =>
  update(key(userId, messageId), removal(["starred"]), { equals: { gsi3sk: stored } });

/** Notes another place of a star's message; fails its transaction as `dropStar` does. */
export const placeStar = ({ userId, messageId, stored }: Star, place: StarPlace): Write =>
  update(key(userId, messageId), { set: { gsi3sk: starSortKey(messageId, place) } }, { equals: { gsi3sk: stored } });

/** Whether a star says where its message is. */
export const isPlacedAt = ({ messageId, stored }: Star, place: StarPlace) => stored === starSortKey(messageId, place);

/** A user's stars by the messages' IDs, at most `limit`; 0.5 read units for about 35. */
export async function listStars(userId: number, query: RangeQuery = everything): Promise<Star[]> {
  const { to, ...range } = rangeOf(query);
  // The place follows the ID.
  const items = await queryItems<StarItem>({ pk: starPartition(userId), index: "gsi3", ...range, to: `${to}~` });
  return items.map(toStar);
}

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };

/** Who has starred a message, but for stars from version 0.1.0; 0.5 read units for about 20. */
export const listStarsOf = async (messageId: number): Promise<Star[]> =>
  (await queryItems<StarItem>({ pk: starsPartition(messageId), index: "gsi2" })).map(toStar);

/** A user's stars of these messages, strongly consistent; 1 read unit each. */
export const findStars = async (userId: number, messageIds: readonly number[]): Promise<Star[]> =>
  (await getItems<StarItem>(messageIds.map((id) => key(userId, id)))).flatMap((item) =>
    item?.gsi3sk === undefined ? [] : [toStar(item)],
  );

/** Messages that mention too many users to write flags for each in a transaction. Their HTML says whom they mention. */
const partition = "BROADMENTIONS";

/** Adds a message to those with broad mentions; 2 write units. */
export const putBroadMention = (messageId: number): Write => put({ pk: partition, sk: padded(messageId) });

/** IDs of the messages with broad mentions, at most `limit`; 0.5 read units for about 80. */
export const listBroadMentions = (query: RangeQuery) => queryIds({ pk: partition, ...rangeOf(query), ...corrected });
