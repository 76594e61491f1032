import { ProcessCache } from "../../base/process-cache.ts";
import type { Presentation } from "../../messaging/messages/fetch/present-messages.ts";
import { hasAlertWord, readAlertWords } from "../../messaging/messages/flags/alert-words.ts";
import { isReadBySending } from "../../messaging/messages/flags/flags.ts";
import {
  mentionedGroups,
  mentionedUsers,
  mentionsChannel,
  mentionsTopic,
} from "../../messaging/messages/html-facts.ts";
import { Reader } from "../../messaging/messages/reader.ts";
import { type MessageObject, toMessageWire } from "../../messaging/messages/wire.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import type { Realm } from "../../services/organization/access.ts";
import { findChannel } from "../../store/channels/channels.ts";
import { findSubscriptionsOf } from "../../store/channels/subscriptions.ts";
import { findMessages, type Message } from "../../store/messages/messages.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { sharedRead, sharedReadAll } from "./shared-reads.ts";

/** What a poll caches about its caller. */
export interface PollCache {
  alertWords?: Promise<string[]> | undefined;
  /** The setting `receives_typing_notifications`. */
  receivesTyping?: boolean | undefined;
}

const pollCaches = new ProcessCache<string, { sequence: number; cache: PollCache }>({ minRetained: 1000 });

/**
 * The cache of the queue's last poll in this process, for a poll that continues from `sequence`. Empty when the last poll
 * did not read that far, because entries that it did not see may have changed the cached values.
 */
export function findPollCache(queueId: string, sequence: number): PollCache {
  const entry = pollCaches.get(queueId);
  return entry && sequence <= entry.sequence ? entry.cache : {};
}

/** Keeps the cache of a poll that has read the log up to `sequence`. */
export function savePollCache(queueId: string, sequence: number, cache: PollCache): void {
  pollCaches.set(queueId, { sequence, cache });
}

/** Prefetches what rendering a message will need, while the poll waits. */
export function prepareForMessages(cache: PollCache, caller: Caller, realm: Realm): void {
  // Strongly consistent, because the result is kept until the log has an entry that changes it.
  cache.alertWords ??= withConsistentReads(() => readAlertWords(new Reader(caller, realm)));
  cache.alertWords.catch(() => {
    cache.alertWords = undefined;
  });
}

/** The maximum age of a message whose flags are assumed to be those of its sending. */
const freshSeconds = 10;
const noDetails = { previousContents: new Map(), submessages: [] };

/**
 * Renders messages that were sent a moment ago. Their flags follow from the content, so nothing stored for the receiver is
 * read. Leaves out messages whose flags or details may differ, such as older or edited ones.
 */
export async function showFreshMessages(
  caller: Caller,
  ids: readonly number[],
  { realm, asOf }: { realm: Realm; asOf: number },
  presentation: Presentation,
  cache: PollCache,
): Promise<Map<number, MessageObject>> {
  const read = await sharedReadAll(
    ids,
    (id) => `message ${id}`,
    2000,
    // The copy decompresses a long message once for all polls.
    async (missing) =>
      (await withConsistentReads(() => findMessages(missing))).map((message) => message && { ...message }),
  );
  const fresh = read.filter((message): message is Message => message !== undefined && isFresh(message));
  if (fresh.length === 0) return new Map();
  prepareForMessages(cache, caller, realm);
  const channelIds = [...new Set(fresh.flatMap(({ channelId }) => channelId ?? []))];
  const [words, unsubscribedIds, channels, users] = await Promise.all([
    cache.alertWords as Promise<string[]>,
    findUnsubscribed(caller, fresh),
    Promise.all(channelIds.map((id) => sharedRead(`channel ${id} ${asOf}`, 500, () => findChannel(id)))),
    findCachedProfiles(
      fresh.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      realm.usersVersion,
    ),
  ]);
  const channelById = new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel]] : [])));
  // The notices of changes to an archived channel, and own messages to a channel without a subscription.
  const isAlwaysRead = ({ channelId = 0 }: Message) =>
    channelById.get(channelId)?.isArchived === true || unsubscribedIds.has(channelId);
  const view = {
    ...presentation,
    realm,
    users,
    details: noDetails,
    channels: channelById,
  };
  return new Map(
    fresh.map((message) => [
      message.id,
      { ...toMessageWire(message, view), flags: flagsAtSending(caller, message, isAlwaysRead(message), words) },
    ]),
  );
}

const isFresh = (message: Message) =>
  Date.now() / 1000 - message.sentAt < freshSeconds &&
  !message.editHistory &&
  !message.hasSubmessages &&
  !mentionsTopic(message) &&
  mentionedGroups(message).length === 0;

/**
 * The channels to which the caller sent one of the messages without a subscription. Reads the subscriptions only for messages
 * that are not read as their sender's own: 0.5 read units each.
 */
async function findUnsubscribed(caller: Caller, messages: readonly Message[]): Promise<Set<number>> {
  const own = messages.filter(({ senderId, readBySender }) => senderId === caller.id && readBySender !== true);
  const channelIds = [...new Set(own.flatMap(({ channelId }) => channelId ?? []))];
  if (channelIds.length === 0) return new Set();
  const subscriptions = await withConsistentReads(() => findSubscriptionsOf(caller.id, channelIds));
  return new Set(channelIds.filter((_, index) => subscriptions[index]?.active !== true));
}

function flagsAtSending(caller: Caller, message: Message, isAlwaysRead: boolean, words: readonly string[]): string[] {
  const wildcard = message.channelId !== undefined && mentionsChannel(message);
  const flags: Record<string, boolean> = {
    read: isAlwaysRead || isReadBySending(message, caller.id),
    mentioned: mentionedUsers(message).includes(caller.id),
    stream_wildcard_mentioned: wildcard,
    has_alert_word: hasAlertWord(message, words),
    wildcard_mentioned: wildcard,
  };
  return Object.keys(flags).filter((flag) => flags[flag]);
}
