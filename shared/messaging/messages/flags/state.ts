import { conversationName } from "../../../store/messages/conversations.ts";
import { findFlags, listBroadMentions, listMentioned } from "../../../store/messages/message-flags.ts";
import { findMessages, type MessageSummary, readDirectMessages } from "../../../store/messages/messages.ts";
import { putUnreadFloors, ReadMarks } from "../../../store/messages/read-state.ts";
import { succeeds } from "../../../store/table/conflicts.ts";
import { transact } from "../../../store/table/transactions.ts";
import type { Reader } from "../reader.ts";
import { flagsOf } from "./flags.ts";
import { isMuted, readTopicPolicies } from "./muting.ts";
import type { NewestUnread, ReadSet } from "./newest-unread.ts";
import { type FloorBasis, maxUnread, startUnreadSearch } from "./unread-list.ts";
import { movedInSince } from "./unread-ranges.ts";

/** The parts of the initial state about messages; see https://zulip.com/api/register-queue. */

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };

/** ID of the newest message of the organization; -1 before the first. */
export const maxMessageState = (newest: number): { max_message_id: number } => ({
  max_message_id: newest > 0 ? newest : -1,
});

const maxRecentDirectMessages = 1000;

/**
 * The latest direct messages up to `newest`, newest first. Costs about 30 read units; the parts of a snapshot share this read.
 */
const readRecentDirect = (reader: Reader, newest: number) =>
  readDirectMessages(reader.caller?.id ?? 0, {
    ...{ ...everything, to: newest },
    ...{ descending: true, limit: maxRecentDirectMessages },
  });

/** Reads direct messages from the latest 1000 ones if these cover the range; otherwise queries the table. */
const recentDirectReader =
  (reader: Reader, newest: number): ReadSet =>
  async (query) => {
    const recent = await readRecentDirect(reader, newest);
    const isCovered = recent.length < maxRecentDirectMessages || (recent.at(-1)?.id ?? 0) <= query.from;
    if (!isCovered) return readDirectMessages(reader.caller?.id ?? 0, query);
    const inRange = recent.filter(({ id }) => query.from <= id && id <= query.to);
    return (query.descending ? inRange : inRange.toReversed()).slice(0, query.limit);
  };

/** The conversations of the latest 1000 direct messages up to `newest`, newest first. */
export async function recentConversationsState(reader: Reader, newest: number) {
  const userId = reader.caller?.id ?? 0;
  const byName = new Map<string, { max_message_id: number; user_ids: number[] }>();
  for (const { id, userIds = [] } of await readRecentDirect(reader, newest)) {
    const name = conversationName(userIds);
    if (byName.has(name)) continue;
    byName.set(name, { max_message_id: id, user_ids: userIds.filter((participantId) => participantId !== userId) });
  }
  return { recent_private_conversations: [...byName.values()] };
}

/**
 * The unread messages up to `newest`, by conversation. Costs 0.5 read units per channel, and the reads of the unread
 * messages. Also raises the reader's floors (2 write units if they change), so that later calls skip messages that are read.
 * `listsConversations` says whether the snapshot also lists the recent conversations: both then share the read of their
 * messages.
 */
export async function unreadState(reader: Reader, newest: number, { listsConversations = false } = {}) {
  const sharedRead = listsConversations ? { readDirect: recentDirectReader(reader, newest) } : {};
  const search = await startUnreadSearch(reader, { upTo: newest, ...sharedRead });
  // Message IDs are dense, so a range of fewer than `maxUnread` IDs cannot hold too many unread messages to list.
  const listsAll = newest - (search.oldest ?? newest) < maxUnread;
  const [unread, policies, allMentionIds] = await Promise.all([
    search.newest(),
    readTopicPolicies(reader),
    listsAll ? listMentions(reader, search.oldest) : undefined,
  ]);
  const { messages } = unread;
  const mentionIds = allMentionIds ?? (await listMentions(reader, messages[0]?.id));
  const [mentions] = await Promise.all([
    unreadMentions(reader, messages, mentionIds),
    raiseFloors(reader, { ...search, ...unread }, newest),
  ]);
  const direct = messages.filter(({ channelId }) => channelId === undefined);
  const inChannels = messages.filter(({ channelId }) => channelId !== undefined);
  return {
    unread_msgs: {
      count: messages.filter((message) => !isMuted(reader, message, policies)).length,
      pms: toPersonalGroups(direct, reader.caller?.id ?? 0),
      streams: groupBy(inChannels, ({ channelId, topic = "" }) => `${channelId}#${topic.toLowerCase()}`).map(
        (group) => ({
          stream_id: group[0].channelId ?? 0,
          topic: group[group.length - 1]?.topic ?? "",
          unread_message_ids: group.map(({ id }) => id),
        }),
      ),
      huddles: groupBy(
        direct.filter(({ userIds = [] }) => userIds.length > 2),
        ({ userIds = [] }) => conversationName(userIds),
      ).map((group) => ({
        user_ids_string: conversationName(group[0].userIds ?? []),
        unread_message_ids: group.map(({ id }) => id),
      })),
      mentions,
      old_unreads_missing: unread.isCut,
    },
  };
}

/** Direct messages with one other user, or with oneself. */
function toPersonalGroups(direct: readonly MessageSummary[], userId: number) {
  const otherUserId = ({ userIds = [] }: MessageSummary) => userIds.find((id) => id !== userId) ?? userId;
  return groupBy(
    direct.filter(({ userIds = [] }) => userIds.length <= 2),
    (message) => String(otherUserId(message)),
  ).map((group) => ({
    other_user_id: otherUserId(group[0]),
    sender_id: otherUserId(group[0]),
    unread_message_ids: group.map(({ id }) => id),
  }));
}

type Group = [MessageSummary, ...MessageSummary[]];
const groupBy = (messages: readonly MessageSummary[], nameOf: (message: MessageSummary) => string): Group[] =>
  [...Map.groupBy(messages, nameOf).values()] as Group[];

/** IDs of messages from `oldest` on that may mention the reader, by name or through a wildcard or group. */
async function listMentions(reader: Reader, oldest: number | undefined): Promise<Set<number>> {
  if (oldest === undefined || !reader.caller) return new Set();
  const query = { ...everything, from: oldest };
  const [individual, broad] = await Promise.all([listMentioned(reader.caller.id, query), listBroadMentions(query)]);
  return new Set([...individual.map(({ id }) => id), ...broad]);
}

/** IDs of the unread messages that mention the reader. `mentionIds` are all messages that may mention the reader. */
async function unreadMentions(
  reader: Reader,
  messages: readonly MessageSummary[],
  mentionIds: ReadonlySet<number>,
): Promise<number[]> {
  const candidates = messages.map(({ id }) => id).filter((id) => mentionIds.has(id));
  const [candidateMessages, sparse] = await Promise.all([
    findMessages(candidates),
    findFlags(reader.caller?.id ?? 0, candidates),
  ]);
  const found = candidateMessages.flatMap((message) => message ?? []);
  await Promise.all([reader.load(found.flatMap(({ channelId }) => channelId ?? [])), reader.loadGroupGraph(found)]);
  // The messages are unread, so no marks are needed; and alert words are no mentions.
  const state = { marks: new ReadMarks(), alertWords: [], sparse };
  return found
    .filter((message) => {
      const flags = flagsOf(reader, message, state);
      return flags.includes("mentioned") || flags.includes("wildcard_mentioned");
    })
    .map(({ id }) => id);
}

/** Floors are written only when they advance by more than this many IDs. */
const minFloorAdvance = 500;
/** At most this many of the newest message IDs may still be without their message. */
const maxPendingIds = 500;

/** Stores new floors, if they are much higher, or make it unnecessary to search moved-in ranges again. */
async function raiseFloors(
  reader: Reader,
  { messages, isCut, floors, asOf }: NewestUnread & FloorBasis,
  newest: number,
): Promise<void> {
  if (isCut || !reader.caller) return;
  // Messages with lower IDs than the newest may still appear, while their transactions are being written.
  const highestFloor = newest - maxPendingIds;
  // By channel ID; undefined for direct messages.
  const firstUnread = new Map<number | undefined, number>();
  for (const { id, channelId } of messages) if (!firstUnread.has(channelId)) firstUnread.set(channelId, id);
  // The new floor is lower than the stored one if an unread message below that was moved into the channel.
  const newFloor = (floor: number, channelId?: number) =>
    Math.min(firstUnread.get(channelId) ?? Number.MAX_SAFE_INTEGER, Math.max(floor, highestFloor));
  const subscribedIds = (await reader.subscriptions()).flatMap(({ active, channelId }) => (active ? [channelId] : []));
  // The search has examined these channels. An archived channel keeps its floor; the floors of others are dropped.
  const channelIds = subscribedIds.filter((id) => reader.tracksUnread(id));
  const channels = Object.fromEntries(
    subscribedIds.map((id) => {
      const floor = floors.channels[id] ?? 0;
      return [id, reader.tracksUnread(id) ? newFloor(floor, id) : floor];
    }),
  );
  const direct = newFloor(floors.direct);
  const hasAdvanced = direct - floors.direct > minFloorAdvance || haveAdvanced(channels, floors.channels);
  const coversMoves = channelIds.some((id) => movedInSince(floors, reader.channel(id)).some(({ at }) => at <= asOf));
  if (!hasAdvanced && !coversMoves) return;
  // If a message was marked as unread meanwhile, the next session raises the floors.
  await succeeds(transact([putUnreadFloors(reader.caller.id, floors, { channels, direct, asOf })]));
}

const haveAdvanced = (after: Record<string, number>, before: Record<string, number>) =>
  Object.entries(after).some(([channelId, floor]) => floor - (before[channelId] ?? 0) > minFloorAdvance);
