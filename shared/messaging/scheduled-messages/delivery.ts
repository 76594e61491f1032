import { ApiError, badRequest, realmDeactivated } from "../../base/errors.ts";
import { scheduledMessageGraceSeconds } from "../../base/limits.ts";
import { toCaller } from "../../services/identity/access.ts";
import type { Caller } from "../../services/identity/caller.ts";
import { loadRealm } from "../../services/organization/access.ts";
import { findScheduledMessage, type ScheduledMessage } from "../../store/messages/scheduled-messages.ts";
import { withConsistentReads } from "../../store/table/consistency.ts";
import { findAccount } from "../../store/users/accounts.ts";
import { findUser } from "../../store/users/users.ts";
import { withConversation } from "../messages/send/actions.ts";
import { compose } from "../messages/send/compose.ts";
import { accessDestination } from "../messages/send/destination.ts";
import { composeDirectNotice } from "../messages/send/notices.ts";
import { messageFollowUps } from "../messages/send/user-message.ts";
import { destinationOf } from "./access.ts";
import { deliver, markFailed } from "./actions.ts";

/**
 * Delivers one version of a pending scheduled message. Idempotent, and does nothing for edited or cancelled messages. A
 * message that can no longer be sent is marked as failed and its owner notified.
 */
export const deliverMessageIfPending = (job: DeliveryJob): Promise<void> =>
  withConsistentReads(() => deliverVersion(job));

type DeliveryJob = { userId: number; id: number; version: number };

/** The reads must be strongly consistent, because a message that is marked as failed is not tried again. */
async function deliverVersion(job: DeliveryJob): Promise<void> {
  const scheduled = await findScheduledMessage(job.userId, job.id);
  if (!scheduled || scheduled.version !== job.version || scheduled.failed) return;
  const realm = await loadRealm();
  try {
    const sender = await accessSender(scheduled);
    const destination = await accessDestination(sender, destinationOf(scheduled), realm);
    const { userId: senderId, client, readBySender } = scheduled;
    const composed = await compose(sender, scheduled.content, destination, realm);
    const followUps = await messageFollowUps(sender, destination, composed.rendered, realm);
    const message = { ...composed, followUps, senderId, destination, client, readBySender };
    await withConversation(message, (resolved) => deliver(scheduled, resolved));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const notice = await composeDirectNotice(realm, scheduled.userId, failureText(scheduled, error.message));
    await withConversation(notice, (resolved) => markFailed(scheduled, resolved));
  }
}

/** Returns the sender. Throws if the message is too late to deliver or its sender may no longer send messages. */
async function accessSender(scheduled: ScheduledMessage): Promise<Caller> {
  if (Date.now() / 1000 - scheduled.deliverAt > scheduledMessageGraceSeconds)
    throw badRequest("Message could not be sent at the scheduled time.");
  const user = await findUser(scheduled.userId);
  const account = user && (await findAccount(user.email));
  if (!account?.active) throw badRequest("Account is deactivated");
  if (account.realmDeactivated) throw realmDeactivated();
  return toCaller(account);
}

const failureText = ({ content }: ScheduledMessage, reason: string) =>
  `The message that you scheduled could not be sent: ${reason}\n\n> ${content.split("\n", 1)[0]}`;
