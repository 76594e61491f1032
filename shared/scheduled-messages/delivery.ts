import { ApiError, badRequest } from "../errors.ts";
import { withConversation } from "../messages/actions.ts";
import { compose } from "../messages/compose.ts";
import { accessDestination } from "../messages/destination.ts";
import { noticeTo } from "../messages/notices.ts";
import { accessRealm } from "../organization/access.ts";
import { wakePush } from "../push/wake.ts";
import { scheduledMessageGraceSeconds } from "../settings.ts";
import { findAccount } from "../store/accounts.ts";
import { consistently } from "../store/consistency.ts";
import { findScheduledMessage, type ScheduledMessage } from "../store/scheduled-messages.ts";
import { findUser } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import type { Caller } from "../users/caller.ts";
import { webhookJobs } from "../webhooks/triggers.ts";
import { destinationOf } from "./access.ts";
import { deliver, markFailed } from "./actions.ts";

/**
 * Delivers one version of a scheduled message if it still waits: a second firing, and one for an edited or cancelled
 * message, does nothing. What can no longer be sent is kept as failed and its owner told (companion reference, B 4.1).
 */
export const deliverIfWaiting = (job: DeliveryJob): Promise<void> => consistently(() => deliverNow(job));

type DeliveryJob = { userId: number; id: number; version: number };

/** All reads are strongly consistent: what is found here may be said to have failed for good. */
async function deliverNow(job: DeliveryJob): Promise<void> {
  const scheduled = await findScheduledMessage(job.userId, job.id);
  if (!scheduled || scheduled.version !== job.version || scheduled.failed) return;
  const realm = await accessRealm();
  try {
    const sender = await accessSender(scheduled);
    const destination = await accessDestination(sender, destinationOf(scheduled), realm);
    const { userId: senderId, client, readBySender } = scheduled;
    const composed = await compose(sender, scheduled.content, destination, realm);
    const following = await webhookJobs(sender, destination, composed.rendered, realm);
    const message = { ...composed, ...following, senderId, destination, client, readBySender };
    await withConversation(message, (settled) => deliver(scheduled, settled));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const notice = await noticeTo(realm, scheduled.userId, failureText(scheduled, error.message));
    await withConversation(notice, (settled) => markFailed(scheduled, settled));
  }
  await wakePush(realm);
}

/** Whoever scheduled the message, if it may still go out as theirs. */
async function accessSender(scheduled: ScheduledMessage): Promise<Caller> {
  if (Date.now() / 1000 - scheduled.deliverAt > scheduledMessageGraceSeconds)
    throw badRequest("Message could not be sent at the scheduled time.");
  const user = await findUser(scheduled.userId);
  const account = user && (await findAccount(user.email));
  if (!account?.active) throw badRequest("Account is deactivated");
  return callerOf(account);
}

const failureText = ({ content }: ScheduledMessage, reason: string) =>
  `The message that you scheduled could not be sent: ${reason}\n\n> ${content.split("\n", 1)[0]}`;
