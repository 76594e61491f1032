import { batchesOf } from "../batches.ts";
import { toCaller } from "../identity/access.ts";
import { findCachedProfiles } from "../identity/profiles.ts";
import { outboxJob } from "../jobs/outbox.ts";
import { enqueueAll } from "../jobs/queues.ts";
import { sendMailJob } from "../mail/jobs.ts";
import { isRead, readPersonalState } from "../messages/flags/flags.ts";
import { Reader } from "../messages/reader.ts";
import { isAway } from "../notifications/recipients.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { effectiveUserSettings, type UserSettings } from "../schema/user-settings.ts";
import { findChannels } from "../store/channels/channels.ts";
import {
  type DueMail,
  deleteDueMail,
  findDueMail,
  listDueUserIds,
  listMissedIds,
  markMissedHandled,
  postponeDueMail,
} from "../store/delivery/missed-messages.ts";
import { findMessages, type Message } from "../store/messages/messages.ts";
import { conflict, retryOnConflict } from "../store/table/conflicts.ts";
import { transact } from "../store/table/transactions.ts";
import { findAccount } from "../store/users/accounts.ts";
import { findPresence } from "../store/users/presence.ts";
import { findUserSettings } from "../store/users/user-settings.ts";
import { findUser, type User } from "../store/users/users.ts";
import { nowSeconds, secondsPerDay } from "../time.ts";
import { composeMissedMail } from "./compose.ts";
import { sendMissedMailJob } from "./jobs.ts";
import { sendWhenDue } from "./record-missed.ts";

/** The maximum number of messages in an e-mail: as many as fit into its transaction. */
const maxMessagesPerMail = 90;
/** A user who stays online for this long without reading a message is not mailed about the message. */
const maxDelaySeconds = secondsPerDay;
const maxUsersPerSweep = 1000;
/** A sweep leaves e-mail that became due within this time to its own job. */
const sweepGraceSeconds = 60;
/** DynamoDB's limit. */
const maxItemsPerTransaction = 100;

/**
 * Mails a user's pending messages, one e-mail per conversation, if they are due and the user is away; otherwise postpones
 * them. Leaves out messages that the user has read or can no longer read. Each message is mailed once: the mail's outbox
 * record and the removal of the pending messages are one transaction.
 */
export async function sendMissed(userId: number): Promise<void> {
  // A conflict: a message was recorded meanwhile, or another worker sends this mail.
  await retryOnConflict(async () => {
    const due = await findDueMail(userId);
    const isDue = due !== undefined && due.dueAt <= Date.now() / 1000;
    return isDue && !(await mailOrPostpone(due)) ? conflict : undefined;
  });
}

/** False on a conflict with a message that was recorded meanwhile. */
async function mailOrPostpone(due: DueMail): Promise<boolean> {
  const { userId } = due;
  const [ids, user, changed, presence, realm] = await Promise.all([
    listMissedIds(userId),
    findUser(userId),
    findUserSettings(userId),
    findPresence(userId),
    accessRealm(),
  ]);
  const settings = effectiveUserSettings(changed);
  const pending = user ? await filterStillMissed(user, settings, ids, realm) : [];
  const now = nowSeconds();
  if (pending.length > 0 && !isAway({ presence }, now)) {
    const dueAt = Math.max(now, presence?.lastActive ?? 0) + offlineAfterSeconds + 1;
    if (!(await postponeDueMail(due, dueAt))) return false;
    await sendWhenDue(userId, dueAt);
    return true;
  }
  for (const messages of groupByConversation(pending)) if (user) await mail(user, settings, messages, realm);
  const mailed = new Set(pending.map(({ id }) => id));
  const skippedIds = ids.filter((id) => !mailed.has(id));
  for (const batch of batchesOf(skippedIds, maxItemsPerTransaction))
    await transact(batch.map((id) => markMissedHandled(userId, id)));
  return deleteDueMail(due);
}

/** The messages that still exist and are unread, readable and not too old. */
async function filterStillMissed(
  user: User,
  settings: UserSettings,
  ids: readonly number[],
  realm: Realm,
): Promise<Message[]> {
  const account = user.active && user.botType === undefined ? await findAccount(user.email) : undefined;
  if (!account) return [];
  const oldest = Date.now() / 1000 - maxDelaySeconds - settings.email_notifications_batching_period_seconds;
  const found = (await findMessages(ids)).flatMap((message) => message ?? []);
  const reader = new Reader(toCaller(account), realm);
  const { marks } = await readPersonalState(reader, found);
  return found.filter(
    (message) => message.sentAt >= oldest && reader.reach(message) === "received" && !isRead(reader, message, marks),
  );
}

type MessageGroup = readonly [Message, ...Message[]];

/** Groups messages by conversation, in order, in parts that fit into one e-mail. */
function groupByConversation(messages: readonly Message[]): MessageGroup[] {
  const groups = Map.groupBy(messages, ({ recipientId, topic = "" }) => `${recipientId} ${topic.toLowerCase()}`);
  return [...groups.values()].flatMap((conversation) =>
    [...batchesOf(conversation, maxMessagesPerMail)].map(
      ([first, ...others]) => [first as Message, ...others] as const,
    ),
  );
}

async function mail(reader: User, settings: UserSettings, messages: MessageGroup, realm: Realm): Promise<void> {
  const [{ channelId, userIds = [] }] = messages;
  const [users, [channel]] = await Promise.all([
    findCachedProfiles([...userIds, ...messages.map(({ senderId }) => senderId)], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
  ]);
  const { settingsUrl, ...composed } = composeMissedMail({ reader, settings, realm, messages, users, channel });
  const job = outboxJob(sendMailJob, {
    // The conditional removal ensures that no message is in two emails.
    id: `missed-${reader.id}-${messages[0].id}`,
    to: reader.email,
    ...composed,
    settings_url: settingsUrl,
  });
  await transact([...messages.map(({ id }) => markMissedHandled(reader.id, id)), job.write]);
  await job.send();
}

/** Enqueues overdue e-mail: it was due later than SQS's maximum delay allows, or a worker died. */
export async function sweepMissed(): Promise<void> {
  const userIds = await listDueUserIds(nowSeconds() - sweepGraceSeconds, maxUsersPerSweep);
  await enqueueAll(
    sendMissedMailJob,
    userIds.map((user_id) => ({ user_id })),
  );
}
