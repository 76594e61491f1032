import { mapInBatches } from "../batches.ts";
import { enqueue } from "../jobs/queues.ts";
import { findRecipients, isAway, type Recipient, wantsMail } from "../notifications/recipients.ts";
import { accessRealm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { findUsersWithMissed, putMissed, scheduleDueMail } from "../store/delivery/missed-messages.ts";
import { findMessage, type Message } from "../store/messages/messages.ts";
import { nowSeconds, secondsPerDay } from "../time.ts";
import { listCandidates } from "./candidates.ts";
import { recordMissedMessageJob, sendMissedMailJob } from "./jobs.ts";

const usersPerJob = 200;
const maxConcurrentWrites = 10;
/** Users are not mailed about messages older than this, which an outage has delayed. */
const staleAfterSeconds = secondsPerDay;
/** The delay of the second check: users who were online at the first are away by then, unless they were active since. */
const secondCheckDelaySeconds = offlineAfterSeconds + 10;
/** SQS's maximum delay; later jobs are sent by the sweep. */
const maxDelaySeconds = 900;

/**
 * Records a message for users who want mail about it, have not read it and are away, 200 users per job. Users who are
 * online are checked once more after they had time to read the message or leave. Idempotent.
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
  const now = nowSeconds();
  if (!message || now - message.sentAt > staleAfterSeconds) return;
  const { ids, isLast } = await listCandidates(message, realm, after, usersPerJob);
  const recipients = await findRecipients(ids, message, realm, wantsMail);
  const awayRecipients = recipients.filter(({ context }) => isAway(context, now));
  await recordFor(message, again ? await withoutRecorded(awayRecipients, messageId) : awayRecipients);
  if (!again && awayRecipients.length < recipients.length)
    await enqueue(recordMissedMessageJob, { message_id: messageId, after, again: true }, secondCheckDelaySeconds);
  const lastId = ids.at(-1);
  // Each page's first check enqueues its own second check, so that only first checks go on to the next page.
  if (!isLast && lastId !== undefined && !again)
    await enqueue(recordMissedMessageJob, { message_id: messageId, after: lastId, again: false });
}

/** Leaves out users for whom the first check recorded the message. */
async function withoutRecorded(recipients: readonly Recipient[], messageId: number): Promise<Recipient[]> {
  if (recipients.length === 0) return [];
  const userIds = recipients.map(({ userId }) => userId);
  const recordedIds = await findUsersWithMissed(userIds, messageId);
  return recipients.filter(({ userId }) => !recordedIds.has(userId));
}

const recordFor = (message: Message, recipients: readonly Recipient[]) =>
  mapInBatches(recipients, maxConcurrentWrites, (recipient) => recordForUser(message, recipient));

/** The first pending message decides when the mail is sent. Costs 2 write units, 3 for the first. */
async function recordForUser({ id, sentAt }: Message, { userId, context }: Recipient): Promise<void> {
  const now = nowSeconds();
  const batchingSeconds = context.settings.email_notifications_batching_period_seconds;
  const isHandled = await putMissed(userId, id);
  if (isHandled) return;
  const due = await scheduleDueMail(userId, Math.max(now, sentAt + batchingSeconds));
  if (due.version === 1) await sendWhenDue(userId, due.dueAt);
}

/** Schedules a user's e-mail; the sweep handles e-mail that is due in more than 15 minutes. */
export async function sendWhenDue(userId: number, dueAt: number): Promise<void> {
  const delaySeconds = Math.max(0, dueAt - nowSeconds());
  if (delaySeconds <= maxDelaySeconds) await enqueue(sendMissedMailJob, { user_id: userId }, delaySeconds);
}
