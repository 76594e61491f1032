import { deferredDelivery } from "../../services/jobs/deferred-delivery.ts";
import { eventForUser } from "../../store/log/entry.ts";
import { type Change, commitNumbered, joinParts } from "../../store/log/log.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  findScheduledMessage,
  listDueScheduledMessages,
  replaceScheduledMessage,
  type ScheduledMessage,
} from "../../store/messages/scheduled-messages.ts";
import { alreadyDone, succeedsOnce } from "../../store/table/conflicts.ts";
import { type Changes, withRefusal } from "../../store/table/writes.ts";
import { planMessage, type ResolvedMessage } from "../messages/send/actions.ts";
import { deliverScheduledMessageJob } from "./jobs.ts";
import { toScheduledMessageWire } from "./wire.ts";

/** Scheduled messages as deferred deliveries; an edit creates a new version with its own schedule. */
export const scheduledDeliveries = deferredDelivery({
  kind: deliverScheduledMessageJob,
  jobOf: ({ userId, id, version }: ScheduledMessage) => ({ user_id: userId, id, version }),
  nameOf: ({ userId, id, version }) => `message-${userId}-${id}-${version}`,
  listDue: listDueScheduledMessages,
  findPending: async ({ userId, id }) => {
    const scheduled = await findScheduledMessage(userId, id);
    return scheduled?.failed ? undefined : scheduled;
  },
});

type NewScheduledMessage = Omit<ScheduledMessage, "id" | "version" | "failed">;

/** Stores the message, then creates its schedule. After a crash in between, the sweep creates the schedule. */
export async function scheduleMessage(message: NewScheduledMessage): Promise<number> {
  const { scheduled } = await commitNumbered({ scheduledMessages: 1 }, ({ scheduledMessage: id }) => {
    const scheduled: ScheduledMessage = { ...message, id, version: 1, failed: false };
    const event = eventForUser(message.userId, {
      type: "scheduled_messages",
      op: "add",
      scheduled_messages: [toScheduledMessageWire(scheduled)],
    });
    return {
      scheduled,
      writes: [createScheduledMessage(scheduled)],
      events: [event],
      followUps: [scheduledDeliveries.scheduled(scheduled)],
    };
  });
  return scheduled.id;
}

/** Replaces a scheduled message with an edited one, which has the next version. Conflicts if it has changed since it was read. */
export function editScheduledMessage(before: ScheduledMessage, changes: Changes<NewScheduledMessage>): Change {
  const after = { ...before, ...changes, version: before.version + 1, failed: false } as ScheduledMessage;
  return {
    writes: [replaceScheduledMessage(before, after)],
    events: [updateEvent(after)],
    followUps: [scheduledDeliveries.scheduled(after), scheduledDeliveries.cancelled(before)],
  };
}

/** Deletes a scheduled message, then its schedule. Conflicts if the message was edited, delivered or cancelled meanwhile. */
export const cancelScheduledMessage = (scheduled: ScheduledMessage): Change => ({
  writes: [deleteScheduledMessage(scheduled)],
  events: [removalEvent(scheduled)],
  followUps: [scheduledDeliveries.cancelled(scheduled)],
});

const removalEvent = ({ userId, id }: ScheduledMessage) =>
  eventForUser(userId, { type: "scheduled_messages", op: "remove", scheduled_message_id: id });

/**
 * Marks an undeliverable message as failed and notifies its owner in one transaction. Returns false when the version has
 * changed.
 */
export const markFailed = (scheduled: ScheduledMessage, notice: ResolvedMessage): Promise<boolean> => {
  const failed = { ...scheduled, failed: true };
  return succeedsOnce(
    commitNumbered({ messages: 1 }, (numbers) =>
      joinParts(
        {
          writes: [withRefusal(replaceScheduledMessage(scheduled, failed), alreadyDone)],
          events: [updateEvent(failed)],
        },
        planMessage(notice, { ...numbers, event: numbers.event + 1 }),
      ),
    ),
  );
};

/** Sends the message and deletes its record in one transaction. Returns false when the version has changed. */
export const deliver = (scheduled: ScheduledMessage, resolved: ResolvedMessage): Promise<boolean> =>
  succeedsOnce(
    commitNumbered({ messages: 1 }, (numbers) =>
      joinParts(
        { writes: [withRefusal(deleteScheduledMessage(scheduled), alreadyDone)] },
        planMessage(resolved, numbers),
        {
          events: [removalEvent(scheduled)],
        },
      ),
    ),
  );

const updateEvent = (scheduled: ScheduledMessage) =>
  eventForUser(scheduled.userId, {
    type: "scheduled_messages",
    op: "update",
    scheduled_message: toScheduledMessageWire(scheduled),
  });
