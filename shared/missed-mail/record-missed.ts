import { enqueue } from "../jobs/queues.ts";
import { findRecipients, isAway, type Recipient, wantsMail } from "../notifications/recipients.ts";
import { accessRealm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { findUsersWithMissed, putMissed, scheduleDueMail } from "../store/delivery/missed-messages.ts";
import { findMessage, type Message } from "../store/messages/messages.ts";
import { listCandidates } from "./candidates.ts";
import { recordMissedMessageJob, sendMissedMailJob } from "./jobs.ts";

/** Users per job, and concurrent writes. */
const usersPerJob = 200;
const maxConcurrentWrites = 10;
/** Users are not mailed about messages older than this, which an outage has delayed. */
const staleAfterSeconds = 86_400;
/** After this time, users who were online when the message arrived count as away unless they were active since. */
const secondLookSeconds = offlineAfterSeconds + 10;
/** SQS's maximum delay; later jobs are sent by the sweep. */
const maxDelaySeconds = 900;

/**
 * Records a message for users who want mail about it, have not read it and are away, 200 users per job. Users who are
 * online are checked once more after they had time to read it or leave. Idempotent.
 */
export async function recordMissedMessage({
  messageId,
  after,
  again,
}: {
  messageId: number;
  after: number;
  again: boolean;
}) {
  const [realm, message] = await Promise.all([accessRealm(), findMessage(messageId)]);
  const now = Math.floor(Date.now() / 1000);
  if (!message || now - message.sentAt > staleAfterSeconds) return;
  const { ids, isLast } = await listCandidates(message, realm, after, usersPerJob);
  const wanting = await findRecipients(ids, message, realm, wantsMail);
  const away = wanting.filter(({ context }) => isAway(context, now));
  await recordFor(message, again ? await withoutRecorded(away, messageId) : away);
  if (!again && away.length < wanting.length)
    await enqueue(recordMissedMessageJob, { message_id: messageId, after, again: true }, secondLookSeconds);
  const last = ids.at(-1);
  // Each page's first check enqueues its own second check, so that only first checks go on to the next page.
  if (!isLast && last !== undefined && !again)
    await enqueue(recordMissedMessageJob, { message_id: messageId, after: last, again: false });
}

/** Leaves out users for whom the first check recorded the message. */
async function withoutRecorded(recipients: readonly Recipient[], messageId: number): Promise<Recipient[]> {
  if (recipients.length === 0) return [];
  const userIds = recipients.map(({ userId }) => userId);
  const noted = await findUsersWithMissed(userIds, messageId);
  return recipients.filter(({ userId }) => !noted.has(userId));
}

async function recordFor(message: Message, recipients: readonly Recipient[]): Promise<void> {
  for (let start = 0; start < recipients.length; start += maxConcurrentWrites)
    await Promise.all(
      recipients.slice(start, start + maxConcurrentWrites).map((recipient) => recordForUser(message, recipient)),
    );
}

/** The first pending message decides when the mail is sent. Costs 2 write units, 3 for the first. */
async function recordForUser({ id, sentAt }: Message, { userId, context }: Recipient): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const period = context.settings.email_notifications_batching_period_seconds;
  const isSettled = await putMissed(userId, id);
  if (isSettled) return;
  const due = await scheduleDueMail(userId, Math.max(now, sentAt + period));
  if (due.version === 1) await sendWhenDue(userId, due.dueAt);
}

/** Schedules a user's e-mail; the sweep handles what is due in more than 15 minutes. */
export async function sendWhenDue(userId: number, dueAt: number): Promise<void> {
  const delay = Math.max(0, dueAt - Math.floor(Date.now() / 1000));
  if (delay <= maxDelaySeconds) await enqueue(sendMissedMailJob, { user_id: userId }, delay);
}
