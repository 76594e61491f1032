import { enqueue } from "../jobs/queues.ts";
import { accessRealm } from "../organization/access.ts";
import { offlineAfterSeconds } from "../presence/rules.ts";
import { isAway, isMailed, type Recipient, recipientsAmong } from "../push/recipients.ts";
import { findMessage, type Message } from "../store/messages.ts";
import { findDueMail, findNoted, noteMissed } from "../store/missed-messages.ts";
import { pause } from "../store/table.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { candidatesFor } from "./candidates.ts";
import { noteMissedJob, sendMissedJob } from "./jobs.ts";

/** People looked at by one job, and among them people written at once. */
const peopleToJob = 200;
const atOnce = 10;
/** What an outage kept from being noted for so long is past. */
const staleAfterSeconds = 86_400;
/** Whoever was there by chance is away after that, unless they were there later than the message. */
const secondLookSeconds = offlineAfterSeconds + 10;
/** The longest that SQS delays a job; what is due later is the sweeper's. */
const longestDelay = 900;

/**
 * Notes a message for those who want mail of it, have not read it and are away, 200 people at a time. Who is there is
 * looked at once more when they have had the time to read it or to leave. Doing it again notes nobody twice.
 */
export async function noteMissedMessage({
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
  const { ids, isLast } = await candidatesFor(message, realm, after, peopleToJob);
  const wanting = await recipientsAmong(ids, message, realm, isMailed);
  const away = wanting.filter(({ standing }) => isAway(standing, now));
  await note(message, away);
  if (!again && away.length < wanting.length)
    await enqueue(noteMissedJob, { message_id: messageId, after, again: true }, secondLookSeconds);
  const last = ids.at(-1);
  // The second looks follow from the first ones, page by page.
  if (!isLast && last !== undefined && !again)
    await enqueue(noteMissedJob, { message_id: messageId, after: last, again: false });
}

async function note(message: Message, recipients: readonly Recipient[]): Promise<void> {
  if (recipients.length === 0) return;
  const noted = await findNoted(
    recipients.map(({ userId }) => userId),
    message.id,
  );
  const fresh = recipients.filter(({ userId }) => !noted.has(userId));
  for (let start = 0; start < fresh.length; start += atOnce)
    await Promise.all(fresh.slice(start, start + atOnce).map((recipient) => noteFor(message, recipient)));
}

/** The first message that waits decides when the mail goes. 5 write units. */
async function noteFor({ id, sentAt }: Message, { userId, standing }: Recipient): Promise<void> {
  const now = Math.floor(Date.now() / 1000);
  const period = standing.settings.email_notifications_batching_period_seconds;
  for (let attempt = 1; ; attempt++) {
    const before = await findDueMail(userId);
    const dueAt = before?.dueAt ?? Math.max(now, sentAt + period);
    try {
      await noteMissed(before, { userId, dueAt, version: (before?.version ?? 0) + 1 }, id);
      if (!before) await sendWhenDue(userId, dueAt);
      return;
    } catch (error) {
      if (!(error instanceof ConditionFailed) || attempt === 10) throw error;
      if (error.failed.includes(1)) return;
      await pause(attempt);
    }
  }
}

/** Has a user's mail sent at its time; what is due in more than 15 minutes the sweeper sees to. */
export async function sendWhenDue(userId: number, dueAt: number): Promise<void> {
  const delay = Math.max(0, dueAt - Math.floor(Date.now() / 1000));
  if (delay <= longestDelay) await enqueue(sendMissedJob, { user_id: userId }, delay);
}
