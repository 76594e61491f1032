import { corrected } from "../table/consistency.ts";
import { idOf, padded } from "../table/keys.ts";
import { getItems, queryIds, queryItems } from "../table/reads.ts";
import { put, type Update, update, type Write } from "../table/writes.ts";
import { type RangeQuery, rangeOf } from "./messages.ts";

/** Flags that few of a user's messages have. Each message that ever had one has an item for that user. */

const sparseFlags = ["starred", "collapsed", "mentioned", "group_mentioned", "topic_wildcard_mentioned"] as const;
export type SparseFlag = (typeof sparseFlags)[number];

interface FlagsItem {
  sk: string;
  flags?: Set<SparseFlag>;
}

const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `FLAGS#${padded(messageId)}` });

const flagIndexes = { starred: "gsi3", mentioned: "gsi1", topic_wildcard_mentioned: "gsi1" } as const;
type IndexedFlag = keyof typeof flagIndexes;
export type ListedFlag = "starred" | "mentioned";
const isIndexed = (flag: SparseFlag): flag is IndexedFlag => flag in flagIndexes;
/** Both kinds of mention share a partition. */
const flagPartition = (userId: number, flag: IndexedFlag) =>
  `${flag === "starred" ? "STARRED" : "MENTIONED"}#${userId}`;

const addition = (userId: number, messageId: number, flags: readonly SparseFlag[]): Update => ({
  add: { flags: new Set(flags) },
  set: Object.fromEntries(
    flags.filter(isIndexed).flatMap((flag) => [
      [`${flagIndexes[flag]}pk`, flagPartition(userId, flag)],
      [`${flagIndexes[flag]}sk`, padded(messageId)],
    ]),
  ),
});

const removal = (flags: readonly SparseFlag[]): Update => ({
  subtract: { flags: new Set(flags) },
  remove: flags.filter(isIndexed).flatMap((flag) => [`${flagIndexes[flag]}pk`, `${flagIndexes[flag]}sk`]),
});

/** Adds flags to a message; 2 write units in a transaction, and 1 for each flag that can be listed. */
export const addFlags = (userId: number, messageId: number, flags: readonly SparseFlag[]): Write =>
  update(key(userId, messageId), addition(userId, messageId, flags));

/** Removes flags from a message. Idempotent. */
export const removeFlags = (userId: number, messageId: number, flags: readonly SparseFlag[]): Write =>
  update(key(userId, messageId), removal(flags));

/** Adds or removes a flag; fails its transaction when the message has the flag, or lacks it, already. */
export const toggleFlag = (userId: number, messageId: number, op: "add" | "remove", flag: SparseFlag): Write =>
  op === "add"
    ? update(key(userId, messageId), addition(userId, messageId, [flag]), { lacks: { flags: flag } })
    : update(key(userId, messageId), removal([flag]), { contains: { flags: flag } });

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

/**
 * The messages that have a flag, at most `limit`; 0.5 read units for about 40. "mentioned" includes topic wildcard mentions,
 * and its index has all flags of each message; the index of "starred" has only keys (`flags` may be undefined).
 */
export async function listFlagged(
  userId: number,
  flag: ListedFlag,
  query: RangeQuery,
): Promise<{ id: number; flags: Set<SparseFlag> | undefined }[]> {
  const items = await queryItems<FlagsItem>({
    pk: flagPartition(userId, flag),
    index: flagIndexes[flag],
    ...rangeOf(query),
  });
  return items.map((item) => ({ id: idOf(item.sk), flags: item.flags }));
}

export async function listStarred(userId: number): Promise<number[]> {
  const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await listFlagged(userId, "starred", everything)).map(({ id }) => id);
}

/** Messages that mention too many users to write flags for each in a transaction. Their HTML says whom they mention. */
const partition = "BROADMENTIONS";

/** Adds a message to those with broad mentions; 2 write units. */
export const putBroadMention = (messageId: number): Write => put({ pk: partition, sk: padded(messageId) });

/** IDs of the messages with broad mentions, at most `limit`; 0.5 read units for about 80. */
export const listBroadMentions = (query: RangeQuery) => queryIds({ pk: partition, ...rangeOf(query), ...corrected });
