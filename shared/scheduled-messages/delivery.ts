import { ApiError, badRequest } from "../errors.ts";
import { withConversation } from "../messages/actions.ts";
import { accessDestination, type Destination } from "../messages/destination.ts";
import { noticeTo } from "../messages/notices.ts";
import { renderText } from "../messages/render.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { scheduledMessageGraceSeconds } from "../settings.ts";
import { findAccount } from "../store/accounts.ts";
import { findScheduledMessage, type ScheduledMessage } from "../store/scheduled-messages.ts";
import { findUser } from "../store/users.ts";
import { callerOf } from "../users/access.ts";
import { destinationOf } from "./access.ts";
import { deliver, markFailed } from "./actions.ts";

/**
 * Delivers one version of a scheduled message if it still waits: a second firing, and one for an edited or cancelled
 * message, does nothing. What can no longer be sent is kept as failed and its owner told (companion reference, B 4.1).
 */
export async function deliverIfWaiting(job: { userId: number; id: number; version: number }): Promise<void> {
  const scheduled = await findScheduledMessage(job.userId, job.id);
  if (!scheduled || scheduled.version !== job.version || scheduled.failed) return;
  const realm = await accessRealm();
  try {
    const destination = await checkDeliverable(scheduled, realm);
    const { userId: senderId, content, client, readBySender } = scheduled;
    const rendered = await renderText(content, realm);
    await withConversation({ senderId, destination, content, rendered, client, readBySender }, (settled) =>
      deliver(scheduled, settled),
    );
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const notice = await noticeTo(realm, scheduled.userId, failureText(scheduled, error.message));
    await withConversation(notice, (settled) => markFailed(scheduled, settled));
  }
}

async function checkDeliverable(scheduled: ScheduledMessage, realm: Realm): Promise<Destination> {
  if (Date.now() / 1000 - scheduled.deliverAt > scheduledMessageGraceSeconds)
    throw badRequest("Message could not be sent at the scheduled time.");
  const user = await findUser(scheduled.userId);
  const account = user && (await findAccount(user.email));
  if (!account?.active) throw badRequest("Account is deactivated");
  return accessDestination(callerOf(account), destinationOf(scheduled), realm);
}

const failureText = ({ content }: ScheduledMessage, reason: string) =>
  `The message that you scheduled could not be sent: ${reason}\n\n> ${content.split("\n", 1)[0]}`;
