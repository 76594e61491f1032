import { outboxJob } from "../jobs/outbox.ts";
import { enqueueAll } from "../jobs/queues.ts";
import { sendMailJob } from "../mail/jobs.ts";
import { isRead, readPersonalState } from "../messages/flags.ts";
import { Reader } from "../messages/reader.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { isAway } from "../push/recipients.ts";
import { findAccount } from "../store/accounts.ts";
import { findChannels } from "../store/channels.ts";
import { findMessages, type Message } from "../store/messages.ts";
import {
  type DueMail,
  deleteDueMail,
  findDueMail,
  listDueUserIds,
  listMissed,
  postponeDueMail,
  settleMissed,
} from "../store/missed-messages.ts";
import { findPresence } from "../store/presence.ts";
import { pause } from "../store/table.ts";
import { ConditionFailed, transact } from "../store/transactions.ts";
import { findUserSettings } from "../store/user-settings.ts";
import { findUser, type User } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import { profilesOf } from "../users/profiles.ts";
import { effectiveUserSettings, type UserSettings } from "../users/settings.ts";
import { composeMail } from "./compose.ts";
import { sendMissedJob } from "./jobs.ts";
import { sendWhenDue } from "./note.ts";

/** Messages settled with one mail: as many as a transaction has room for beside it. */
const mostToMail = 90;
/** Who is there that long and does not read is not told afterwards. */
const patienceSeconds = 86_400;
const sweptAtOnce = 1000;

/**
 * Mails a user what waits for them, one mail for each conversation, if it is due and they are away; who is there is left
 * until they are not. What they have read, or may not read any more, is left out. Each message is mailed once: its mail's
 * job is written with the note that it has been, and a repetition or a second worker finds nothing waiting.
 */
export async function sendMissed(userId: number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const due = await findDueMail(userId);
    if (!due || due.dueAt > Date.now() / 1000) return;
    try {
      return await mailOrPostpone(due);
    } catch (error) {
      // A message was noted meanwhile, or another worker mails this one.
      if (!(error instanceof ConditionFailed) || attempt === 10) throw error;
      await pause(attempt);
    }
  }
}

async function mailOrPostpone(due: DueMail): Promise<void> {
  const { userId } = due;
  const [ids, user, changed, presence, realm] = await Promise.all([
    listMissed(userId),
    findUser(userId),
    findUserSettings(userId),
    findPresence(userId),
    accessRealm(),
  ]);
  const settings = effectiveUserSettings(changed);
  const waiting = user ? await stillMissed(user, settings, ids, realm) : [];
  const now = Math.floor(Date.now() / 1000);
  if (waiting.length > 0 && !isAway({ presence }, now)) {
    const dueAt = Math.max(now, presence?.lastActive ?? 0) + offlineAfterSeconds + 1;
    await postponeDueMail(due, dueAt);
    return sendWhenDue(userId, dueAt);
  }
  for (const messages of conversationsOf(waiting)) if (user) await mail(user, settings, messages, realm);
  const mailed = new Set(waiting.map(({ id }) => id));
  const rest = ids.filter((id) => !mailed.has(id));
  for (let start = 0; start < rest.length; start += 100)
    await transact(rest.slice(start, start + 100).map((id) => settleMissed(userId, id)));
  await deleteDueMail(due);
}

/** Those of some messages that are still there, unread, within reach and not too old. */
async function stillMissed(
  user: User,
  settings: UserSettings,
  ids: readonly number[],
  realm: Realm,
): Promise<Message[]> {
  const account = user.active && user.botType === undefined ? await findAccount(user.email) : undefined;
  if (!account) return [];
  const oldest = Date.now() / 1000 - patienceSeconds - settings.email_notifications_batching_period_seconds;
  const found = (await findMessages(ids)).flatMap((message) => message ?? []);
  const reader = new Reader(callerOf(account), realm);
  const { marks } = await readPersonalState(reader, found);
  return found.filter(
    (message) => message.sentAt >= oldest && reader.reach(message) === "received" && !isRead(reader, message, marks),
  );
}

type Several = readonly [Message, ...Message[]];

/** Messages by their conversations, in order, as many to each part as one mail takes. */
function conversationsOf(messages: readonly Message[]): Several[] {
  const groups = Map.groupBy(messages, ({ recipientId, topic = "" }) => `${recipientId} ${topic.toLowerCase()}`);
  return [...groups.values()].flatMap((all) =>
    Array.from({ length: Math.ceil(all.length / mostToMail) }, (_, part) => {
      const [first, ...more] = all.slice(part * mostToMail, (part + 1) * mostToMail);
      return [first as Message, ...more] as const;
    }),
  );
}

async function mail(reader: User, settings: UserSettings, messages: Several, realm: Realm): Promise<void> {
  const [{ channelId, userIds = [] }] = messages;
  const [users, [channel]] = await Promise.all([
    profilesOf([...userIds, ...messages.map(({ senderId }) => senderId)], realm.usersVersion),
    findChannels(channelId === undefined ? [] : [channelId]),
  ]);
  const { settingsUrl, ...composed } = composeMail({ reader, settings, realm, messages, users, channel });
  const job = outboxJob(sendMailJob, {
    // No message is in two mails.
    id: `missed-${reader.id}-${messages[0].id}`,
    to: reader.email,
    ...composed,
    settings_url: settingsUrl,
  });
  await transact([...messages.map(({ id }) => settleMissed(reader.id, id)), job.write]);
  await job.send();
}

/** Has mail sent that was due a minute ago and is still there: due in more than 15 minutes, or left by a worker that died. */
export async function sweepMissed(): Promise<void> {
  const userIds = await listDueUserIds(Math.floor(Date.now() / 1000) - 60, sweptAtOnce);
  await enqueueAll(
    sendMissedJob,
    userIds.map((user_id) => ({ user_id })),
  );
}
