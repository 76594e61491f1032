import { createHash } from "node:crypto";
import { batchesOf } from "../../base/batches.ts";
import { mailFrom, serverUrl } from "../../base/environment.ts";
import { effectiveUserSettings, type UserSettings } from "../../base/schema/user-settings.ts";
import { nowSeconds, secondsPerDay } from "../../base/time.ts";
import { offlineAfterSeconds } from "../../core/presence/rules.ts";
import { toCaller } from "../../services/identity/access.ts";
import { findCachedProfiles } from "../../services/identity/profiles.ts";
import { enqueue } from "../../services/jobs/queues.ts";
import { replyAddress, unsubscribeToken } from "../../services/mail/addresses.ts";
import { sendMailJob } from "../../services/mail/jobs.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { type Channel, findChannels } from "../../store/channels/channels.ts";
import { findUserTopicsOf } from "../../store/channels/user-topics.ts";
import {
  type DecidedMail,
  type DueMail,
  findDueMail,
  lastDecided,
  listDueUserIds,
  listNoted,
  NoteReader,
  postponeDueMail,
  takeDueMail,
} from "../../store/delivery/missed-messages.ts";
import { findLeasedMails } from "../../store/delivery/sent-mails.ts";
import { cursors, findCursor } from "../../store/log/cursors.ts";
import { findMessages, type Message } from "../../store/messages/messages.ts";
import { retryOnConflict } from "../../store/table/conflicts.ts";
import { ConditionFailed } from "../../store/table/transactions.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { listMutedUsers } from "../../store/users/muted-users.ts";
import { findPresence } from "../../store/users/presence.ts";
import { findUserSettings } from "../../store/users/user-settings.ts";
import { findUser, type User } from "../../store/users/users.ts";
import { isRead, readPersonalState } from "../messages/flags/flags.ts";
import { mentionedUsers, mentionsChannel } from "../messages/html-facts.ts";
import { Reader } from "../messages/reader.ts";
import { isAway, wantsMail } from "../notifications/recipients.ts";
import { composeMissedMail, maxMessages, reasonFor } from "./compose.ts";
import { conversationOf, enqueueMissedMails, sendWhenDue } from "./note-missed.ts";

/** A user who stays online for this long without reading a message is not mailed about the message. */
const maxDelaySeconds = secondsPerDay;
const maxUsersPerSweep = 1000;
/**
 * How many messages are in memory at once with their texts: a mail whose batching period is a week may be about tens of thousands.
 */
const maxMessagesAtOnce = 500;
/** A sweep leaves e-mail that became due within this time to its own job. */
const sweepGraceSeconds = 60;

/**
 * Mails some users what they have missed. The users' reads share calls, and read what several of them have missed once. A failure
 * does not keep the others from their mails: it is thrown at the end, and a retry does nothing for those who were mailed.
 */
export async function sendAllMissed(userIds: readonly number[]): Promise<void> {
  const notes = new NoteReader();
  const results = await Promise.allSettled(userIds.map((userId) => sendMissed(userId, notes)));
  const failed = results.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
}

/**
 * Mails what a user has missed, one e-mail per conversation, if it is due and the user is away; otherwise postpones it. Leaves out
 * what the user has read, can no longer read or does not want to be mailed by then. Each message is mailed once: the due mail is
 * taken with a record of the mails, which the next worker enqueues if this one dies before it has.
 */
export async function sendMissed(userId: number, notes = new NoteReader()): Promise<void> {
  // A conflict: something was added meanwhile, or another worker takes this mail.
  await retryOnConflict(async () => {
    const [due, cursor] = await Promise.all([findDueMail(userId), findCursor(cursors.notifications)]);
    if (!due) return;
    const decided = lastDecided(due);
    if (decided.length > 0) await enqueueUnsent(userId, decided);
    if (due.dueAt !== undefined && due.dueAt <= Date.now() / 1000)
      await mailOrPostpone(due, cursor?.sequence ?? 0, notes);
  });
}

/** Throws ConditionFailed on a conflict. */
async function mailOrPostpone(due: DueMail, consumedUpTo: number, notes: NoteReader): Promise<void> {
  const { userId } = due;
  const [{ messageIds, rest }, user, changed, presence, realm] = await Promise.all([
    listNoted(due, consumedUpTo, notes),
    findUser(userId),
    findUserSettings(userId),
    findPresence(userId),
    loadRealm(),
  ]);
  const settings = effectiveUserSettings(changed);
  const missed = user ? await findMissed(user, settings, messageIds, realm) : [];
  const now = nowSeconds();
  if (missed.length > 0 && !isAway({ presence }, now)) {
    const dueAt = Math.max(now, presence?.lastActive ?? 0) + offlineAfterSeconds + 1;
    if (!(await postponeDueMail(due, dueAt))) throw new ConditionFailed();
    return sendWhenDue([userId], dueAt);
  }
  const decided = missed.map(({ shown, omitted, reason }): Decision => {
    const id = `missed-${userId}-${shown[0].id}`;
    const mail = { id, messageIds: shown.map((message) => message.id), omitted, ...(reason && { reason }) };
    return { mail, messages: shown };
  });
  const restDueAt = now + Math.max(1, settings.email_notifications_batching_period_seconds);
  const mails = decided.map(({ mail }) => mail);
  // Before the mail is taken, because the users of a job read at the same moment until then, and so share the reads.
  const shown = await readShown(decided, realm);
  if (!(await takeDueMail(due, mails, rest, restDueAt))) throw new ConditionFailed();
  if (user) await enqueueMails(user, settings, decided, shown);
  if (Object.keys(rest).length > 0) await sendWhenDue([userId], restDueAt);
}

/** What a user has missed in one conversation. */
interface Missed {
  /** The first messages, as many as a mail shows. */
  shown: [Message, ...Message[]];
  /** How many more there are. */
  omitted: number;
  /** Why the user is mailed, undefined for direct messages, and the message that is the reason. */
  reason: string | undefined;
  reasonMessage: Message;
}

/** What a user has missed, by conversation: the messages that exist and are unread, readable, wanted and not too old. */
async function findMissed(user: User, settings: UserSettings, ids: readonly number[], realm: Realm): Promise<Missed[]> {
  if (!user.active || user.botType !== undefined || ids.length === 0) return [];
  const started = [findMessages(ids.slice(0, maxMessagesAtOnce))];
  const [account, muted] = await Promise.all([findAccount(user.email), listMutedUsers(user.id), ...started]);
  if (!account) return [];
  const ignoredIds = new Set([user.id, ...muted.map(({ mutedId }) => mutedId)]);
  const reader = new Reader(toCaller(account), realm);
  const missed = new Map<string, Missed>();
  for (const some of batchesOf(ids, maxMessagesAtOnce)) {
    const messages = await (started.pop() ?? findMessages(some));
    for (const message of await findMissedAmong(messages, reader, user.id, settings, ignoredIds))
      missed.set(conversationOf(message), withMessage(missed.get(conversationOf(message)), message, user.id));
  }
  return [...missed.values()];
}

function withMessage(missed: Missed | undefined, message: Message, userId: number): Missed {
  if (!missed) return { shown: [message], omitted: 0, reason: reasonFor(userId, [message]), reasonMessage: message };
  const reason = reasonFor(userId, [missed.reasonMessage, message]);
  const isShown = missed.shown.length < maxMessages;
  return {
    shown: isShown ? [...missed.shown, message] : missed.shown,
    omitted: missed.omitted + (isShown ? 0 : 1),
    reason,
    reasonMessage: reason === missed.reason ? missed.reasonMessage : message,
  };
}

async function findMissedAmong(
  messages: readonly (Message | undefined)[],
  reader: Reader,
  userId: number,
  settings: UserSettings,
  ignoredIds: ReadonlySet<number>,
): Promise<Message[]> {
  const oldest = Date.now() / 1000 - maxDelaySeconds - settings.email_notifications_batching_period_seconds;
  const found = messages.flatMap((message) =>
    message && message.sentAt >= oldest && !ignoredIds.has(message.senderId) ? [message] : [],
  );
  const [{ marks, sparse }, policyOf] = await Promise.all([
    readPersonalState(reader, found),
    readPolicies(userId, found),
  ]);
  return found.filter(
    (message) =>
      reader.reach(message) === "received" &&
      !isRead(reader, message, marks) &&
      wantsMail(
        message,
        {
          settings,
          subscription: message.channelId === undefined ? undefined : reader.subscription(message.channelId),
          policy: policyOf(message),
          presence: undefined,
          mentioned: mentionedUsers(message).includes(userId),
          inMentionedGroup: reader.isInMentionedGroup(message),
          inWildcard: mentionsChannel(message) || sparse.get(message.id)?.has("topic_wildcard_mentioned") === true,
        },
        Date.now() / 1000,
      ),
  );
}

/** The user's policy for the topic of each message. */
async function readPolicies(userId: number, messages: readonly Message[]) {
  const topics = [
    ...new Map(
      messages.flatMap((message) => {
        const { channelId, topic = "" } = message;
        return channelId === undefined ? [] : [[conversationOf(message), { channelId, topic }] as const];
      }),
    ),
  ];
  const policies = await findUserTopicsOf(
    userId,
    topics.map(([, topic]) => topic),
  );
  const byName = new Map(topics.map(([name], index) => [name, policies[index]?.policy]));
  return (message: Message) => byName.get(conversationOf(message));
}

/** Enqueues those of the decided mails that no worker has begun to send; a mail that is enqueued twice is sent once. */
async function enqueueUnsent(userId: number, decided: readonly DecidedMail[]): Promise<void> {
  const leased = await findLeasedMails(decided.map(({ id }) => id));
  const unsent = decided.filter(({ id }) => !leased.has(id));
  if (unsent.length === 0) return;
  const [user, changed, realm, decisions] = await Promise.all([
    findUser(userId),
    findUserSettings(userId),
    loadRealm(),
    Promise.all(unsent.map(withMessages)),
  ]);
  if (user) await enqueueMails(user, effectiveUserSettings(changed), decisions, await readShown(decisions, realm));
}

/** A decided mail, with those of its messages that exist. */
interface Decision {
  mail: DecidedMail;
  messages: readonly Message[];
}

const withMessages = async (mail: DecidedMail): Promise<Decision> => ({
  mail,
  messages: (await findMessages(mail.messageIds)).flatMap((message) => message ?? []),
});

/** What mails show besides their messages. */
interface Shown {
  realm: Realm;
  users: ReadonlyMap<number, User>;
  channels: ReadonlyMap<number, Channel>;
}

async function readShown(decisions: readonly Decision[], realm: Realm): Promise<Shown> {
  const messages = decisions.flatMap((decision) => decision.messages);
  const channelIds = new Set(messages.flatMap(({ channelId }) => channelId ?? []));
  const [users, channels] = await Promise.all([
    findCachedProfiles(
      messages.flatMap(({ senderId, userIds = [] }) => [senderId, ...userIds]),
      realm.usersVersion,
    ),
    findChannels([...channelIds]),
  ]);
  return { realm, users, channels: new Map(channels.flatMap((channel) => (channel ? [[channel.id, channel]] : []))) };
}

async function enqueueMails(
  reader: User,
  settings: UserSettings,
  decisions: readonly Decision[],
  { realm, users, channels }: Shown,
): Promise<void> {
  for (const { mail, messages: found } of decisions) {
    const { id, omitted, reason } = mail;
    const [first, ...others] = found;
    if (!first) continue;
    const replyTo = await replyAddress(reader.id, first.id);
    const composed = composeMissedMail({
      canReply: replyTo !== undefined,
      reader,
      settings,
      realm,
      messages: [first, ...others],
      omitted,
      reason,
      users,
      channel: first.channelId === undefined ? undefined : channels.get(first.channelId),
    });
    await enqueue(sendMailJob, {
      ...{ id, to: reader.email, ...composed },
      unsubscribe_url: `${serverUrl()}/unsubscribe/${await unsubscribeToken(reader.id)}`,
      ...{ reply_to: replyTo, ...threadOf(first) },
    });
  }
}

/** By what mail programs keep together the mails about one conversation, and those of one channel. */
function threadOf(message: Message): { thread: string; list_id?: string } {
  const domain = mailFrom().split("@")[1] ?? "";
  const thread = `<${createHash("sha256").update(conversationOf(message)).digest("hex").slice(0, 32)}@${domain}>`;
  const { channelId } = message;
  return channelId === undefined ? { thread } : { thread, list_id: `<channel-${channelId}.${domain}>` };
}

/** Enqueues overdue e-mail: it was due later than SQS's maximum delay allows, or a worker died. */
export async function sweepMissed(): Promise<void> {
  await enqueueMissedMails(await listDueUserIds(nowSeconds() - sweepGraceSeconds, maxUsersPerSweep));
}
