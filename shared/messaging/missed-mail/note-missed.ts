import { batchesOf, mapInBatches } from "../../base/batches.ts";
import type { Values } from "../../base/schema/params.ts";
import { effectiveUserSettings, type UserSettings } from "../../base/schema/user-settings.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { offlineAfterSeconds } from "../../core/presence/rules.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { enqueueAll } from "../../services/jobs/queues.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { findSubscriptionsTo } from "../../store/channels/subscriptions.ts";
import { listFollowerIds } from "../../store/channels/user-topics.ts";
import {
  addToDueMail,
  completeSecondNote,
  isSureToBeDue,
  listNotedUsers,
  putNotes,
  putSecondNote,
} from "../../store/delivery/missed-messages.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { conversationName } from "../../store/messages/conversations.ts";
import { findMessagesOnce, type Message } from "../../store/messages/messages.ts";
import { findMarkedAsRead } from "../../store/messages/read-state.ts";
import { findPresences } from "../../store/users/presence.ts";
import { findSettingsOfUsers, listEmailUserIds } from "../../store/users/user-settings.ts";
import { isAway, isQuiet } from "../notifications/recipients.ts";
import { listCandidates } from "./candidates.ts";
import { checkMissedAgainJob, sendMissedMailsJob } from "./jobs.ts";

const maxConcurrentWrites = 25;
/** The maximum number of users whom one job mails, which bounds its time. */
const usersPerMailJob = 25;
/** The maximum number of users of one second check, which bounds its job's size and time. */
const usersPerCheck = 2000;
/** Users are not mailed about messages older than this, which an outage has delayed. */
const staleAfterSeconds = secondsPerDay;
/** The delay of the second check: users who were online at the first are away by then, unless they were active since. */
const secondCheckDelaySeconds = offlineAfterSeconds + 10;
/** SQS's maximum delay; later jobs are sent by the sweep. */
const maxDelaySeconds = 900;

/** Messages of one conversation that one step of the log consumer processes. */
interface ConversationPart {
  conversation: string;
  channelId: number | undefined;
  messageIds: number[];
  /** UNIX seconds at which the first was sent. */
  sentAt: number;
  candidates: Set<number>;
  /** Those who follow the topic. */
  followers: ReadonlySet<number>;
}

/** A user who is away, and the part of a conversation that they may have missed. */
interface Absence {
  userId: number;
  part: Pick<ConversationPart, "conversation" | "channelId" | "messageIds" | "sentAt" | "followers">;
}

/**
 * Notes who may have missed the messages among the log's entries, and makes sure that each of these users has a due mail. Users
 * who are online are checked once more after they had time to read the messages or leave. What to mail is decided when the mail is
 * due. Must finish before the log consumer's cursor passes the entries, and may be repeated until then.
 */
export async function noteMissed(entries: readonly LogEntry[], realm: Realm): Promise<void> {
  const ids = entries.flatMap(({ event }) => (event?.type === "message" ? [event.message_id] : []));
  if (ids.length === 0) return;
  const oldest = nowSeconds() - staleAfterSeconds;
  const messages = (await findMessagesOnce(ids)).flatMap((message) =>
    message && message.sentAt >= oldest && !isQuiet(message, realm) ? [message] : [],
  );
  const emailUserIds = messages.some(({ channelId }) => channelId !== undefined) ? await listEmailUserIds() : [];
  const parts = await Promise.all(
    [...Map.groupBy(messages, conversationOf)].map(async ([conversation, some]) => {
      const [first, ...others] = some as [Message, ...Message[]];
      const { candidates, followers } = await listCandidates([first, ...others], realm, emailUserIds);
      const messageIds = some.map(({ id }) => id).sort((a, b) => a - b);
      return { conversation, channelId: first.channelId, messageIds, sentAt: first.sentAt, candidates, followers };
    }),
  );
  const away = await findAway(parts.flatMap(({ candidates }) => [...candidates]));
  const notes = parts.map((part) => ({ ...part, userIds: [...part.candidates].filter((id) => away.has(id)) }));
  await putNotes(
    notes.filter(({ userIds }) => userIds.length > 0),
    entries.at(-1)?.sequence ?? 0,
  );
  const absences = notes.flatMap((part) =>
    part.userIds
      .filter((userId) => !isSureToBeDue(userId, part.conversation))
      .map((userId): Absence => ({ userId, part })),
  );
  await addMails(await findMailable(absences, realm));
  await enqueueAll(
    checkMissedAgainJob,
    parts.flatMap((part) => secondChecks(part, away)),
    secondCheckDelaySeconds,
  );
}

/** Identifies a message's conversation: its topic, or the participants. */
export const conversationOf = ({ channelId, topic = "", userIds = [] }: Message) =>
  channelId === undefined ? conversationName(userIds) : `${channelId}#${topic.toLowerCase()}`;

/** The topic in a channel conversation's name, in lower case. */
const topicOf = (conversation: string) => conversation.slice(conversation.indexOf("#") + 1);

/** Those of the users who are away now. */
async function findAway(userIds: readonly number[]): Promise<Set<number>> {
  const ids = [...new Set(userIds)];
  const found = await findPresences(ids);
  const now = nowSeconds();
  return new Set(ids.filter((_, index) => isAway({ presence: found[index] }, now)));
}

function secondChecks(
  { conversation, channelId, messageIds, sentAt, candidates }: ConversationPart,
  away: ReadonlySet<number>,
): Values<typeof checkMissedAgainJob.body>[] {
  const online = [...candidates].filter((id) => !away.has(id)).sort((a, b) => a - b);
  return Array.from({ length: Math.ceil(online.length / usersPerCheck) }, (_, index) => ({
    conversation,
    ...(channelId !== undefined && { channel_id: channelId }),
    message_ids: messageIds,
    sent_at: sentAt,
    user_ids: online.slice(index * usersPerCheck, (index + 1) * usersPerCheck),
  }));
}

type MailableAbsence = Absence & { settings: UserSettings };

/** The absences of people who receive the conversation and have not switched off every kind of mail about it. */
async function findMailable(absences: readonly Absence[], realm: Realm): Promise<MailableAbsence[]> {
  const userIds = [...new Set(absences.map(({ userId }) => userId))];
  if (userIds.length === 0) return [];
  const [profiles, changed, ...mailable] = await Promise.all([
    findCachedProfiles(userIds, realm.usersVersion),
    findSettingsOfUsers(userIds),
    ...[...Map.groupBy(absences, ({ part }) => part.channelId)].map(async ([channelId, some]) => {
      if (channelId === undefined) return some.map((absence) => ({ absence, subscription: undefined }));
      const subscriptions = await findSubscriptionsTo(
        channelId,
        some.map(({ userId }) => userId),
      );
      return some.flatMap((absence, index) => {
        const subscription = subscriptions[index];
        return subscription?.active ? [{ absence, subscription }] : [];
      });
    }),
  ]);
  const settingsOf = new Map(userIds.map((id, index) => [id, effectiveUserSettings(changed[index])]));
  return mailable.flat().flatMap(({ absence, subscription }) => {
    const profile = profiles.get(absence.userId);
    const settings = settingsOf.get(absence.userId);
    if (!settings || !profile?.active || profile.botType !== undefined) return [];
    const wantsSome =
      settings.enable_offline_email_notifications ||
      (settings.enable_followed_topic_email_notifications && absence.part.followers.has(absence.userId)) ||
      (subscription?.emailNotifications ?? settings.enable_stream_email_notifications);
    return wantsSome ? [{ ...absence, settings }] : [];
  });
}

const dueTime = ({ settings, part }: Pick<MailableAbsence, "settings" | "part">) =>
  Math.max(nowSeconds(), part.sentAt + settings.email_notifications_batching_period_seconds);

/** Adds the notes of a step to the due mails of their users, and enqueues the mails that this makes due. */
async function addMails(absences: readonly MailableAbsence[]): Promise<void> {
  await addAll([...Map.groupBy(absences, ({ userId }) => userId)], async ([userId, some]) => {
    const dueAt = Math.min(...some.map(dueTime));
    const from = Math.min(...some.map(({ part }) => part.messageIds[0] ?? 0));
    const conversations = new Set(some.map(({ part }) => part.conversation));
    return { userId, dueAt, isNew: dueAt === (await addToDueMail(userId, { dueAt, from, conversations })) };
  });
}

/** Runs `add` for each entry, many at once, and then enqueues the mails that are due for the first time. */
async function addAll<T>(
  entries: readonly T[],
  add: (entry: T) => Promise<{ userId: number; dueAt: number; isNew: boolean }>,
): Promise<void> {
  const added = await mapInBatches(entries, maxConcurrentWrites, add);
  const due = Map.groupBy(
    added.filter(({ isNew }) => isNew),
    ({ dueAt }) => dueAt,
  );
  for (const [dueAt, some] of due)
    await sendWhenDue(
      some.map(({ userId }) => userId),
      dueAt,
    );
}

/** Schedules the e-mail of users; the sweep handles e-mail that is due in more than 15 minutes. */
export async function sendWhenDue(userIds: readonly number[], dueAt: number): Promise<void> {
  // A mail that is due at once waits until the step that notes its messages is done.
  const delaySeconds = Math.max(1, dueAt - nowSeconds());
  if (delaySeconds <= maxDelaySeconds) await enqueueMissedMails(userIds, delaySeconds);
}

/** People of one topic mostly missed the same messages, which one job reads once. */
export const enqueueMissedMails = (userIds: readonly number[], delaySeconds = 0): Promise<void> =>
  enqueueAll(
    sendMissedMailsJob,
    [...batchesOf(userIds, usersPerMailJob)].map((user_ids) => ({ user_ids })),
    delaySeconds,
  );

/**
 * The second check: notes those of the users who are away by then, have not been noted and have not read all of the messages.
 * Idempotent: once its note is complete, a repeated job does nothing.
 */
export async function checkMissedAgain(job: Values<typeof checkMissedAgainJob.body>): Promise<void> {
  const { conversation, channel_id: channelId, message_ids: messageIds, sent_at: sentAt, user_ids: userIds } = job;
  const away = [...(await findAway(userIds))];
  if (away.length === 0) return;
  const [realm, noted, readers, followerIds] = await Promise.all([
    loadRealm(),
    listNotedUsers({ conversation, messageIds }),
    findMarkedAsRead(messageIds, away),
    channelId === undefined ? [] : listFollowerIds(channelId, topicOf(conversation)),
  ]);
  const part = { conversation, channelId, messageIds, sentAt, followers: new Set(followerIds) };
  const absences = away.filter((id) => !noted.has(id) && !readers.has(id)).map((userId) => ({ userId, part }));
  const mailable = await findMailable(absences, realm);
  if (mailable.length === 0) return;
  const note = await putSecondNote(
    { conversation, messageIds, userIds },
    mailable.map(({ userId }) => userId),
  );
  if (note.isComplete) return;
  // Those of the first worker, if that died: its note stays.
  const settings = await findSettingsOfUsers(note.userIds);
  await addAll(
    note.userIds.map((userId, index) => ({ userId, settings: effectiveUserSettings(settings[index]), part })),
    async (absence) => {
      const { userId } = absence;
      const dueAt = dueTime(absence);
      return { userId, dueAt, isNew: dueAt === (await addToDueMail(userId, { dueAt, again: note })) };
    },
  );
  await completeSecondNote(note);
}
