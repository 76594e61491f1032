import { padded } from "../table/keys.ts";
import { queryItems } from "../table/queries.ts";
import { getItems } from "../table/table.ts";
import { put, type Update, update, type Write } from "../table/writes.ts";
import type { RangeQuery } from "./messages.ts";

/** Flags that only few of a user's messages have: one item for each message that ever had one. */

export const sparseFlags = [
  "starred",
  "collapsed",
  "mentioned",
  "group_mentioned",
  "topic_wildcard_mentioned",
] as const;
export type SparseFlag = (typeof sparseFlags)[number];

interface FlagsItem {
  sk: string;
  flags?: Set<SparseFlag>;
}

const key = (userId: number, messageId: number) => ({ pk: `USER#${userId}`, sk: `FLAGS#${padded(messageId)}` });
const idOfItem = ({ sk }: Pick<FlagsItem, "sk">) => Number(sk.slice("FLAGS#".length));

/** The flags by which messages can be listed, each in an index of its own. */
const listed = { starred: "gsi3", mentioned: "gsi1", topic_wildcard_mentioned: "gsi1" } as const;
type Listed = keyof typeof listed;
export type ListedFlag = "starred" | "mentioned";
const isListed = (flag: SparseFlag): flag is Listed => flag in listed;
/** Mentions of both kinds stand in one list. */
const listOf = (userId: number, flag: Listed) => `${flag === "starred" ? "STARRED" : "MENTIONED"}#${userId}`;

const given = (userId: number, messageId: number, flags: readonly SparseFlag[]): Update => ({
  add: { flags: new Set(flags) },
  set: Object.fromEntries(
    flags.filter(isListed).flatMap((flag) => [
      [`${listed[flag]}pk`, listOf(userId, flag)],
      [`${listed[flag]}sk`, padded(messageId)],
    ]),
  ),
});

const taken = (flags: readonly SparseFlag[]): Update => ({
  subtract: { flags: new Set(flags) },
  remove: flags.filter(isListed).flatMap((flag) => [`${listed[flag]}pk`, `${listed[flag]}sk`]),
});

/** Gives a message some flags; 2 write units in a transaction, and 1 for each that can be listed. */
export const addFlags = (userId: number, messageId: number, flags: readonly SparseFlag[]): Write =>
  update(key(userId, messageId), given(userId, messageId, flags));

/** Takes flags from a message; nothing happens to those that it does not have. */
export const removeFlags = (userId: number, messageId: number, flags: readonly SparseFlag[]): Write =>
  update(key(userId, messageId), taken(flags));

/** Adds or removes a flag; fails its transaction when somebody else has done so. */
export const toggleFlag = (userId: number, messageId: number, op: "add" | "remove", flag: SparseFlag): Write =>
  op === "add"
    ? update(key(userId, messageId), given(userId, messageId, [flag]), { lacks: { flags: flag } })
    : update(key(userId, messageId), taken([flag]), { contains: { flags: flag } });

const maxInRange = 200;
/** So few are asked for one by one: what lies between them may be much. */
const few = 4;

/**
 * The flags of some messages, by ID. One query over the range in which they lie, 0.5 read units for about 40 flagged
 * messages; few messages, and all where a user has very many flags, are asked for one by one instead.
 */
export async function findFlags(userId: number, ids: readonly number[]): Promise<Map<number, Set<SparseFlag>>> {
  if (ids.length === 0) return new Map();
  const wanted = new Set(ids);
  const [inRange, reached] = wanted.size <= few ? [[], 0] : await readRange(userId, wanted);
  const beyond = [...wanted].filter((id) => id > reached);
  const rest = await getItems<FlagsItem>(beyond.map((id) => key(userId, id)));
  return new Map(
    [...inRange, ...rest.flatMap((item) => item ?? [])]
      .map((item) => [idOfItem(item), item.flags ?? new Set<SparseFlag>()] as const)
      .filter(([id]) => wanted.has(id)),
  );
}

/** The flagged messages of a range, and up to which ID it was read. */
async function readRange(userId: number, ids: ReadonlySet<number>): Promise<[FlagsItem[], number]> {
  const items = await queryItems<FlagsItem>({
    pk: `USER#${userId}`,
    from: key(userId, Math.min(...ids)).sk,
    to: key(userId, Math.max(...ids)).sk,
    limit: maxInRange,
  });
  const last = items.length < maxInRange ? undefined : items.at(-1);
  return [items, last ? idOfItem(last) : Number.POSITIVE_INFINITY];
}

/**
 * The messages that have a flag, at most `limit`; 0.5 read units for about 40. Those in the list of mentions come with
 * all of their flags.
 */
export async function readFlagged(
  userId: number,
  flag: ListedFlag,
  query: RangeQuery,
): Promise<{ id: number; flags: Set<SparseFlag> | undefined }[]> {
  const items = await queryItems<FlagsItem>({
    pk: listOf(userId, flag),
    index: listed[flag],
    from: padded(query.from),
    to: padded(query.to),
    descending: query.descending,
    limit: query.limit,
  });
  return items.map((item) => ({ id: idOfItem(item), flags: item.flags }));
}

/** IDs of all messages that a user has starred. */
export async function listStarred(userId: number): Promise<number[]> {
  const all = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };
  return (await readFlagged(userId, "starred", all)).map(({ id }) => id);
}

/** A message that mentions more people than a transaction should write flags for: whom, its HTML says. */
const partition = "BROADMENTIONS";

/** Lists a message among those with broad mentions; 2 write units. */
export const putBroadMention = (messageId: number): Write => put({ pk: partition, sk: padded(messageId) });

/** IDs of the messages with broad mentions, at most `limit`; 0.5 read units for about 80. */
export const readBroadMentions = async ({ from, to, descending, limit }: RangeQuery): Promise<number[]> =>
  (await queryItems<{ sk: string }>({ pk: partition, from: padded(from), to: padded(to), descending, limit })).map(
    ({ sk }) => Number(sk),
  );
