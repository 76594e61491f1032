import { markNotified, wasNotified } from "../../../store/delivery/notified.ts";
import { commitNumbered, joinParts } from "../../../store/log/log.ts";
import { alreadyDone, succeedsOnce } from "../../../store/table/conflicts.ts";
import { withRefusal } from "../../../store/table/writes.ts";
import { type OutgoingMessage, planMessage, type ResolvedMessage, withConversation } from "./actions.ts";

/** What `sendOnce` takes as `to` for a message to a channel. */
export const channelRecipient = 0;

/**
 * Sends a job's message to a user, by ID, or to a channel, exactly once, even if the job is repeated or runs concurrently:
 * the message's transaction also writes a record that says that it was sent.
 */
export async function sendOnce(jobId: string, to: number, compose: () => Promise<OutgoingMessage>): Promise<void> {
  if (await wasNotified(jobId, to)) return;
  const message = await compose();
  await succeedsOnce(withConversation(message, (resolved) => writeOnce(jobId, to, resolved)));
}

const writeOnce = (jobId: string, to: number, resolved: ResolvedMessage) =>
  commitNumbered({ messages: 1 }, (numbers) =>
    joinParts({ writes: [withRefusal(markNotified(jobId, to), alreadyDone)] }, planMessage(resolved, numbers)),
  );
