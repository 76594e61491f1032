import { conversationName } from "../../store/messages/conversations.ts";
import { findFlags, listBroadMentions, listFlagged, listStarred } from "../../store/messages/message-flags.ts";
import { findMessages, type MessageSummary, readDirectMessages } from "../../store/messages/messages.ts";
import { putUnreadFloors, ReadMarks } from "../../store/messages/read-state.ts";
import { ConditionFailed, transact } from "../../store/table/transactions.ts";
import type { Reader } from "../reader.ts";
import { flagsOf } from "./flags.ts";
import { isMuted, readTopicPolicies } from "./muting.ts";
import type { NewestUnread, ReadRun } from "./newest-unread.ts";
import { type FloorBasis, maxUnread, startUnreadSearch } from "./unread-list.ts";
import { movedInSince } from "./unread-ranges.ts";

/** The parts of the initial state about messages; see https://zulip.com/api/register-queue. */

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };

export const starredMessagesState = async (reader: Reader) => ({
  starred_messages: reader.caller ? await listStarred(reader.caller.id) : [],
});

/** ID of the newest message of the organization; -1 before the first. */
export const maxMessageState = (newest: number): { max_message_id: number } => ({
  max_message_id: newest > 0 ? newest : -1,
});

const maxRecentDirectMessages = 1000;

/** The latest direct messages up to `newest`, newest first. Costs about 30 read units; parts of a snapshot share them. */
const readRecentDirect = (reader: Reader, newest: number) =>
  readDirectMessages(reader.caller?.id ?? 0, {
    ...{ ...everything, to: newest },
    ...{ descending: true, limit: maxRecentDirectMessages },
  });

/** Answers a query from the latest 1000 direct messages if they cover its range; otherwise queries the table. */
const directFromRecent =
  (reader: Reader, newest: number): ReadRun =>
  async (query) => {
    const recent = await readRecentDirect(reader, newest);
    const isCovered = recent.length < maxRecentDirectMessages || (recent.at(-1)?.id ?? 0) <= query.from;
    if (!isCovered) return readDirectMessages(reader.caller?.id ?? 0, query);
    const wanted = recent.filter(({ id }) => query.from <= id && id <= query.to);
    return (query.descending ? wanted : wanted.toReversed()).slice(0, query.limit);
  };

/** The conversations of the latest 1000 direct messages up to `newest`, newest first. */
export async function recentConversationsState(reader: Reader, newest: number) {
  const userId = reader.caller?.id ?? 0;
  const byName = new Map<string, { max_message_id: number; user_ids: number[] }>();
  for (const { id, userIds = [] } of await readRecentDirect(reader, newest)) {
    const name = conversationName(userIds);
    if (byName.has(name)) continue;
    byName.set(name, { max_message_id: id, user_ids: userIds.filter((one) => one !== userId) });
  }
  return { recent_private_conversations: [...byName.values()] };
}

/**
 * The unread messages up to `newest`, by conversation. Costs 0.5 read units per channel, and the reads of the unread
 * messages. Also raises the reader's floors (2 write units if they moved), so that later calls skip what is read.
 * `listsConversations`: whether the snapshot lists the recent conversations, too, whose messages are then not read again.
 */
export async function unreadState(reader: Reader, newest: number, { listsConversations = false } = {}) {
  const shared = listsConversations ? { readDirect: directFromRecent(reader, newest) } : {};
  const search = await startUnreadSearch(reader, { upTo: newest, ...shared });
  // Message IDs are dense, so a range of fewer than `maxUnread` IDs cannot hold too many unread messages to list.
  const isWhole = newest - (search.oldest ?? newest) < maxUnread;
  const [unread, policies, mentionsOfAll] = await Promise.all([
    search.newest(),
    readTopicPolicies(reader),
    isWhole ? listMentions(reader, search.oldest) : undefined,
  ]);
  const { messages } = unread;
  const mentionIds = mentionsOfAll ?? (await listMentions(reader, messages[0]?.id));
  const [mentions] = await Promise.all([
    unreadMentions(reader, messages, mentionIds),
    raiseFloors(reader, { ...search, ...unread }, newest),
  ]);
  const direct = messages.filter(({ channelId }) => channelId === undefined);
  const inChannels = messages.filter(({ channelId }) => channelId !== undefined);
  return {
    unread_msgs: {
      count: messages.filter((message) => !isMuted(reader, message, policies)).length,
      pms: personalGroups(direct, reader.caller?.id ?? 0),
      streams: grouped(inChannels, ({ channelId, topic = "" }) => `${channelId}#${topic.toLowerCase()}`).map(
        (group) => ({
          stream_id: group[0].channelId ?? 0,
          topic: group[group.length - 1]?.topic ?? "",
          unread_message_ids: group.map(({ id }) => id),
        }),
      ),
      huddles: grouped(
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

function personalGroups(direct: readonly MessageSummary[], userId: number) {
  const other = ({ userIds = [] }: MessageSummary) => userIds.find((id) => id !== userId) ?? userId;
  return grouped(
    direct.filter(({ userIds = [] }) => userIds.length <= 2),
    (message) => String(other(message)),
  ).map((group) => ({
    other_user_id: other(group[0]),
    sender_id: other(group[0]),
    unread_message_ids: group.map(({ id }) => id),
  }));
}

type Group = [MessageSummary, ...MessageSummary[]];
const grouped = (messages: readonly MessageSummary[], nameOf: (message: MessageSummary) => string): Group[] =>
  [...Map.groupBy(messages, nameOf).values()] as Group[];

/** IDs of messages from `oldest` on that may mention the reader, by name or through a wildcard or group. */
async function listMentions(reader: Reader, oldest: number | undefined): Promise<Set<number>> {
  if (oldest === undefined || !reader.caller) return new Set();
  const query = { ...everything, from: oldest };
  const [single, broad] = await Promise.all([
    listFlagged(reader.caller.id, "mentioned", query),
    listBroadMentions(query),
  ]);
  return new Set([...single.map(({ id }) => id), ...broad]);
}

/** IDs of those unread messages that mention the reader; `mentionIds`: all messages that may. */
async function unreadMentions(
  reader: Reader,
  messages: readonly MessageSummary[],
  mentionIds: ReadonlySet<number>,
): Promise<number[]> {
  const candidates = messages.map(({ id }) => id).filter((id) => mentionIds.has(id));
  const [messagesFound, sparse] = await Promise.all([
    findMessages(candidates),
    findFlags(reader.caller?.id ?? 0, candidates),
  ]);
  const found = messagesFound.flatMap((message) => message ?? []);
  await Promise.all([reader.load(found.flatMap(({ channelId }) => channelId ?? [])), reader.loadGroupGraph(found)]);
  // All are unread, so that no marks are needed; alert words do not matter here.
  const state = { marks: new ReadMarks(), alertWords: [], sparse };
  return found
    .filter((message) => {
      const flags = flagsOf(reader, message, state);
      return flags.includes("mentioned") || flags.includes("wildcard_mentioned");
    })
    .map(({ id }) => id);
}

/** Floors are written only when they advance by at least this many IDs. */
const minFloorAdvance = 500;

async function raiseFloors(
  reader: Reader,
  { messages, isCut, floors, asOf }: NewestUnread & FloorBasis,
  newest: number,
): Promise<void> {
  if (isCut || !reader.caller) return;
  // Messages that are being written now may still appear with IDs below the newest.
  const safe = newest - minFloorAdvance;
  const firstIn = new Map<number | undefined, number>();
  for (const { id, channelId } of messages) if (!firstIn.has(channelId)) firstIn.set(channelId, id);
  // A message that was moved in may lower a floor.
  const raised = (floor: number, channelId?: number) =>
    Math.min(firstIn.get(channelId) ?? Number.MAX_SAFE_INTEGER, Math.max(floor, safe));
  const channelIds = (await reader.readableSubscriptions()).map(({ channelId }) => channelId);
  // Other channels were not examined, so that their floors cannot be confirmed.
  const channels = Object.fromEntries(channelIds.map((id) => [id, raised(floors.channels[id] ?? 0, id)]));
  const direct = raised(floors.direct);
  const moved = direct - floors.direct > minFloorAdvance || hasMoved(channels, floors.channels);
  const settled = channelIds.some((id) => movedInSince(floors, reader.channel(id)).some(({ at }) => at <= asOf));
  if (!moved && !settled) return;
  try {
    await transact([putUnreadFloors(reader.caller.id, floors, { channels, direct, asOf })]);
  } catch (error) {
    // A message was marked as unread meanwhile: the next session raises the floors.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

const hasMoved = (after: Record<string, number>, before: Record<string, number>) =>
  Object.entries(after).some(([channelId, floor]) => floor - (before[channelId] ?? 0) > minFloorAdvance);
