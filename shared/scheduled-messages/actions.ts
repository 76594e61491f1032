import { deferredDelivery } from "../jobs/deferred-delivery.ts";
import { followUp } from "../jobs/schedules.ts";
import { type MessagePlan, planMessage, type ResolvedMessage } from "../messages/send/actions.ts";
import { eventForUser } from "../store/log/entry.ts";
import { commit, commitNumbered } from "../store/log/log.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  findScheduledMessage,
  listDueScheduledMessages,
  replaceScheduledMessage,
  type ScheduledMessage,
} from "../store/messages/scheduled-messages.ts";
import { alreadyDone, isFirstRun } from "../store/table/conflicts.ts";
import { type Changes, orElse } from "../store/table/writes.ts";
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
    return { scheduled, writes: [createScheduledMessage(scheduled)], events: [event] };
  });
  await followUp(() => scheduledDeliveries.schedule(scheduled));
  return scheduled.id;
}

/** Replaces a scheduled message with an edited one, which has the next version. Throws ConditionFailed on a conflict. */
export async function editScheduledMessage(
  before: ScheduledMessage,
  changes: Changes<NewScheduledMessage>,
): Promise<void> {
  const after = { ...before, ...changes, version: before.version + 1, failed: false } as ScheduledMessage;
  await commit({ writes: [replaceScheduledMessage(before, after)], events: [updateEvent(after)] });
  await followUp(() => scheduledDeliveries.schedule(after));
  await followUp(() => scheduledDeliveries.cancel(before));
}

/**
 * Deletes a scheduled message, then its schedule. Throws ConditionFailed if the message was edited, delivered or cancelled
 * meanwhile.
 */
export async function cancelScheduledMessage(scheduled: ScheduledMessage): Promise<void> {
  await commit({ writes: [deleteScheduledMessage(scheduled)], events: [removalEvent(scheduled)] });
  await followUp(() => scheduledDeliveries.cancel(scheduled));
}

const removalEvent = ({ userId, id }: ScheduledMessage) =>
  eventForUser(userId, { type: "scheduled_messages", op: "remove", scheduled_message_id: id });

/**
 * Marks an undeliverable message as failed and notifies its owner in one transaction. Returns false when the version has
 * changed.
 */
export const markFailed = (scheduled: ScheduledMessage, notice: ResolvedMessage): Promise<boolean> => {
  const failed = { ...scheduled, failed: true };
  return isFirstRun(
    commitNumbered({ messages: 1 }, (numbers) => {
      const { writes, events } = planMessage(notice, numbers);
      return {
        writes: [orElse(replaceScheduledMessage(scheduled, failed), alreadyDone), ...writes],
        events: [updateEvent(failed), ...events],
      };
    }),
  );
};

/** Sends the message and deletes its record in one transaction. Returns false when the version has changed. */
export async function deliver(scheduled: ScheduledMessage, resolved: ResolvedMessage): Promise<boolean> {
  let jobs: MessagePlan["jobs"] = [];
  const isDelivered = await isFirstRun(
    commitNumbered({ messages: 1 }, (numbers) => {
      const plan = planMessage(resolved, numbers);
      jobs = plan.jobs;
      const writes = [orElse(deleteScheduledMessage(scheduled), alreadyDone), ...plan.writes];
      return { writes, events: [...plan.events, removalEvent(scheduled)] };
    }),
  );
  if (isDelivered) await Promise.all(jobs.map((job) => job.send()));
  return isDelivered;
}

const updateEvent = (scheduled: ScheduledMessage) =>
  eventForUser(scheduled.userId, {
    type: "scheduled_messages",
    op: "update",
    scheduled_message: toScheduledMessageWire(scheduled),
  });
