import type { Period } from "../../../store/channels/subscriptions.ts";
import { listBroadMentions, listMentioned, listStars } from "../../../store/messages/message-flags.ts";
import {
  type Message,
  type MessageSummary,
  type RangeQuery,
  readDirectMessages,
  readIdsBySender,
  readPartition,
} from "../../../store/messages/messages.ts";
import { cacheFlags } from "../flags/flags.ts";
import type { Reader } from "../reader.ts";

/** One message of a result; indexes that store only IDs leave `message` to be loaded later. */
export interface SourceEntry {
  id: number;
  message?: Message;
}

/** Reads an ordered set of messages, for example a channel, a topic or all direct messages of a user. */
export type Source = (query: RangeQuery) => Promise<SourceEntry[]>;

export const partitionSource =
  (index: "gsi1" | "gsi2", pk: string): Source =>
  async (query) =>
    (await readPartition(index, pk, query)).map((message) => ({ id: message.id, message }));

const toEntries = (ids: readonly number[]): SourceEntry[] => ids.map((id) => ({ id }));

/** A user's direct messages that pass `isWanted`; the others are not loaded. */
export const directMessagesSource =
  (userId: number, isWanted: (summary: MessageSummary) => boolean = () => true): Source =>
  (query) =>
    filterUntil((page) => readDirectMessages(userId, page), isWanted, query);

const maxPageSize = 1000;

/** Reads pages until `limit` summaries pass `isWanted`, or the source is exhausted. Each page is larger than the last one. */
const filterUntil = <Summary extends { id: number }>(
  read: (query: RangeQuery) => Promise<Summary[]>,
  isWanted: (summary: Summary) => boolean,
  query: RangeQuery,
): Promise<SourceEntry[]> => selectUntil(read, async (page) => page.filter(isWanted), query);

/** Like `filterUntil`, with a function that selects what is wanted of a page. */
export async function selectUntil<Summary extends { id: number }>(
  read: (query: RangeQuery) => Promise<Summary[]>,
  select: (page: Summary[]) => Promise<Summary[]>,
  query: RangeQuery,
): Promise<SourceEntry[]> {
  const found: SourceEntry[] = [];
  let { from, to } = query;
  for (let limit = query.limit; found.length < query.limit && from <= to; limit = Math.min(maxPageSize, limit * 2)) {
    const page = await read({ ...query, from, to, limit });
    found.push(...(await select(page)).map(({ id }) => ({ id })));
    const last = page.at(-1);
    if (!last || page.length < limit) break;
    if (query.descending) to = last.id - 1;
    else from = last.id + 1;
  }
  return found.slice(0, query.limit);
}

export const senderSource =
  (userId: number): Source =>
  async (query) =>
    toEntries(await readIdsBySender(userId, query));

/** Messages that mention the reader by name, or by a topic wildcard. */
export const mentionedSource =
  (reader: Reader): Source =>
  async (query) => {
    const found = await listMentioned(reader.caller?.id ?? 0, query);
    for (const { id, flags } of found) if (flags) cacheFlags(reader, id, flags);
    return toEntries(found.map(({ id }) => id));
  };

export const starredSource =
  (userId: number): Source =>
  async (query) =>
    toEntries((await listStars(userId, query)).map(({ messageId }) => messageId));

/** Messages that mention groups, a whole channel or very many users: perhaps the reader. */
export const broadMentionsSource: Source = async (query) => toEntries(await listBroadMentions(query));

/** A source over a given list of IDs. */
export const listSource =
  (ids: readonly number[]): Source =>
  async ({ from, to, descending, limit }) => {
    const inRange = ids.filter((id) => from <= id && id <= to);
    return toEntries((descending ? inRange.toReversed() : inRange).slice(0, limit));
  };

/** All messages of the organization up to the newest. Their IDs are dense, so no index is needed. */
export const allMessagesSource =
  (newestId: number): Source =>
  async ({ from, to, descending, limit }) => {
    const [low, high] = [Math.max(1, from), Math.min(newestId, to)];
    const count = Math.max(0, Math.min(limit, high - low + 1));
    return toEntries(Array.from({ length: count }, (_, index) => (descending ? high - index : low + index)));
  };

/** Restricts a source to some periods, ascending and disjoint. */
export const within =
  (periods: readonly Period[], source: Source): Source =>
  async (query) => {
    const ordered = query.descending ? periods.toReversed() : periods;
    const entries: SourceEntry[] = [];
    for (const [start, end = Number.POSITIVE_INFINITY] of ordered) {
      const from = Math.max(query.from, start);
      const to = Math.min(query.to, end - 1);
      const limit = query.limit - entries.length;
      if (limit > 0 && from <= to) entries.push(...(await source({ ...query, from, to, limit })));
    }
    return entries;
  };
