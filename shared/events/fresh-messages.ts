import { hasAlertWord, readAlertWords } from "../messages/alerts.ts";
import { mentionedGroups, mentionedUsers, mentionsChannel, mentionsTopic } from "../messages/facts.ts";
import { Reader } from "../messages/reader.ts";
import type { Presentation } from "../messages/view.ts";
import { type MessageObject, wireMessage } from "../messages/wire.ts";
import type { Realm } from "../organization/access.ts";
import { findChannel } from "../store/channels.ts";
import { consistently } from "../store/consistency.ts";
import { findMessage, type Message } from "../store/messages.ts";
import type { Caller } from "../users/caller.ts";
import { profilesOf } from "../users/profiles.ts";
import { sharedRead } from "./shared-reads.ts";

/** What a poll remembers of its caller. */
export interface PollMemory {
  alertWords?: Promise<string[]> | undefined;
}

const kept = new Map<string, { place: number; memory: PollMemory }>();
const mostKept = 1000;

/**
 * What the queue's last poll in this process remembered, for one that goes on from `place`: what has changed since, the
 * log tells it. Nothing, where that poll did not come so far.
 */
export function memoryOf(queueId: string, place: number): PollMemory {
  const known = kept.get(queueId);
  return known && place <= known.place ? known.memory : {};
}

/** Keeps what a poll remembers that has read the log up to `place`. */
export function keepMemory(queueId: string, place: number, memory: PollMemory): void {
  kept.delete(queueId);
  kept.set(queueId, { place, memory });
  const [oldest] = kept.keys();
  if (kept.size > mostKept && oldest) kept.delete(oldest);
}

/** Begins to read what a message will need, while the poll waits. */
export function prepareForMessages(memory: PollMemory, caller: Caller, realm: Realm): void {
  // Strongly: what is read here is kept until the log tells of a change that comes after it.
  memory.alertWords ??= consistently(() => readAlertWords(new Reader(caller, realm)));
  memory.alertWords.catch(() => {
    memory.alertWords = undefined;
  });
}

const freshSeconds = 10;
const nothingBeside = { formerTexts: new Map(), submessages: [] };

/**
 * Messages that were sent a moment ago as someone receives them: their flags follow from the text, and nothing of the
 * receiver's own is read. Left out are those for which that is not enough.
 */
export async function showFreshMessages(
  caller: Caller,
  ids: readonly number[],
  realm: Realm,
  presentation: Presentation,
  memory: PollMemory,
): Promise<Map<number, MessageObject>> {
  const read = await Promise.all(ids.map((id) => sharedRead(`message ${id}`, 2000, () => findMessage(id))));
  const fresh = read.filter((message): message is Message => message !== undefined && isFresh(message));
  if (fresh.length === 0) return new Map();
  prepareForMessages(memory, caller, realm);
  const channelIds = [...new Set(fresh.flatMap(({ channelId }) => channelId ?? []))];
  const [words, channels, users] = await Promise.all([
    memory.alertWords as Promise<string[]>,
    Promise.all(channelIds.map((id) => sharedRead(`channel ${id}`, 500, () => findChannel(id)))),
    profilesOf(
      fresh.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      realm.usersVersion,
    ),
  ]);
  const view = {
    ...presentation,
    realm,
    users,
    beside: nothingBeside,
    channels: new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel]] : []))),
  };
  return new Map(
    fresh.map((message) => [
      message.id,
      { ...wireMessage(message, view), flags: flagsAtSending(caller, message, words) },
    ]),
  );
}

const isFresh = (message: Message) =>
  Date.now() / 1000 - message.sentAt < freshSeconds &&
  !message.editHistory &&
  !message.hasSubmessages &&
  !mentionsTopic(message) &&
  mentionedGroups(message).length === 0;

function flagsAtSending(caller: Caller, message: Message, words: readonly string[]): string[] {
  const wildcard = message.channelId !== undefined && mentionsChannel(message);
  const flags: Record<string, boolean> = {
    read: message.senderId === caller.id && message.readBySender === true,
    mentioned: mentionedUsers(message).includes(caller.id),
    stream_wildcard_mentioned: wildcard,
    has_alert_word: hasAlertWord(message, words),
    wildcard_mentioned: wildcard,
  };
  return Object.keys(flags).filter((flag) => flags[flag]);
}
