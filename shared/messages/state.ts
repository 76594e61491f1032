import { readBroadMentions } from "../store/broad-mentions.ts";
import { conversationName } from "../store/conversations.ts";
import { readHead } from "../store/log.ts";
import { listStarred, readFlagged } from "../store/message-flags.ts";
import { type Brief, findMessages, readDirectMessages } from "../store/messages.ts";
import { putUnreadFloors } from "../store/read-state.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { flagsOf, readPersonalState } from "./flags.ts";
import { cameSince } from "./moved-in.ts";
import { isMuted, readTopicPolicies } from "./muting.ts";
import type { Reader } from "./reader.ts";
import { listUnread, type UnreadList } from "./unread-list.ts";

/** Parts of a session's first state that are about messages (companion reference, C, POST /register). */

const everything = { from: 0, to: Number.MAX_SAFE_INTEGER, descending: false, limit: Number.POSITIVE_INFINITY };

export const starredMessagesState = async (reader: Reader) => ({
  starred_messages: reader.caller ? await listStarred(reader.caller.id) : [],
});

/** ID of the newest message of the organization; -1 before the first. */
export async function maxMessageState(): Promise<{ max_message_id: number }> {
  const { message } = await readHead();
  return { max_message_id: message > 0 ? message : -1 };
}

const recentDirectMessages = 1000;

/** The conversations of the newest 1000 direct messages, the newest first; about 15 read units. */
export async function recentConversationsState(reader: Reader) {
  const userId = reader.caller?.id ?? 0;
  const recent = await readDirectMessages(userId, { ...everything, descending: true, limit: recentDirectMessages });
  const byName = new Map<string, { max_message_id: number; user_ids: number[] }>();
  for (const { id, userIds = [] } of recent) {
    const name = conversationName(userIds);
    if (byName.has(name)) continue;
    byName.set(name, { max_message_id: id, user_ids: userIds.filter((one) => one !== userId) });
  }
  return { recent_private_conversations: [...byName.values()] };
}

/**
 * What is unread, by conversation. Beside half a read unit for each channel it costs what the unread messages cost; it
 * also notes below which IDs nothing is unread, so that nobody looks there again (2 write units when that has moved).
 */
export async function unreadState(reader: Reader) {
  const unread = await listUnread(reader);
  const [mentions, policies] = await Promise.all([
    unreadMentions(reader, unread.messages),
    readTopicPolicies(reader),
    raiseFloors(reader, unread),
  ]);
  const { messages, isCut } = unread;
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
      old_unreads_missing: isCut,
    },
  };
}

function personalGroups(direct: readonly Brief[], userId: number) {
  const other = ({ userIds = [] }: Brief) => userIds.find((id) => id !== userId) ?? userId;
  return grouped(
    direct.filter(({ userIds = [] }) => userIds.length <= 2),
    (message) => String(other(message)),
  ).map((group) => ({
    other_user_id: other(group[0]),
    sender_id: other(group[0]),
    unread_message_ids: group.map(({ id }) => id),
  }));
}

type Group = [Brief, ...Brief[]];
const grouped = (messages: readonly Brief[], nameOf: (message: Brief) => string): Group[] =>
  [...Map.groupBy(messages, nameOf).values()] as Group[];

/** IDs of those that mention the reader, alone or among many. */
async function unreadMentions(reader: Reader, messages: readonly Brief[]): Promise<number[]> {
  const [first] = messages;
  if (!first || !reader.caller) return [];
  const unread = new Set(messages.map(({ id }) => id));
  const query = { ...everything, from: first.id };
  const [single, broad] = await Promise.all([
    readFlagged(reader.caller.id, "mentioned", query),
    readBroadMentions(query),
  ]);
  const candidates = [...new Set([...single.map(({ id }) => id), ...broad])]
    .filter((id) => unread.has(id))
    .sort((a, b) => a - b);
  const found = (await findMessages(candidates)).flatMap((message) => message ?? []);
  const state = await readPersonalState(reader, found);
  return found
    .filter((message) => {
      const flags = flagsOf(reader, message, state);
      return flags.includes("mentioned") || flags.includes("wildcard_mentioned");
    })
    .map(({ id }) => id);
}

/** So many IDs must have been passed before it is worth a write. */
const worthNoting = 500;

async function raiseFloors(reader: Reader, { messages, isCut, floors, asOf }: UnreadList): Promise<void> {
  if (isCut || !reader.caller) return;
  const { message: newest } = await readHead();
  // Messages that are being written now may have a smaller ID than the newest.
  const safe = newest - worthNoting;
  const firstIn = new Map<number | undefined, number>();
  for (const { id, channelId } of messages) if (!firstIn.has(channelId)) firstIn.set(channelId, id);
  // A message that was moved in may lower what stood.
  const raised = (floor: number, channelId?: number) =>
    Math.min(firstIn.get(channelId) ?? Number.MAX_SAFE_INTEGER, Math.max(floor, safe));
  const channelIds = (await reader.readableSubscriptions()).map(({ channelId }) => channelId);
  // Of other channels nothing was looked at: their floors would not be true as of now.
  const channels = Object.fromEntries(channelIds.map((id) => [id, raised(floors.channels[id] ?? 0, id)]));
  const direct = raised(floors.direct);
  const moved = direct - floors.direct > worthNoting || hasMoved(channels, floors.channels);
  const settled = channelIds.some((id) => cameSince(floors, reader.channel(id)).some(({ at }) => at <= asOf));
  if (!moved && !settled) return;
  try {
    await transact([putUnreadFloors(reader.caller.id, floors, { channels, direct, asOf })]);
  } catch (error) {
    // Something was marked as unread meanwhile: another time.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

const hasMoved = (after: Record<string, number>, before: Record<string, number>) =>
  Object.entries(after).some(([channelId, floor]) => floor - (before[channelId] ?? 0) > worthNoting);
