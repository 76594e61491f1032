import { cancelSchedule, followUp, scheduleJob } from "../jobs/schedules.ts";
import { fileEventsOf, type MessagePlan, planMessage, type Settled } from "../messages/actions.ts";
import { commit, type LoggedEvent } from "../store/log.ts";
import {
  createScheduledMessage,
  deleteScheduledMessage,
  replaceScheduledMessage,
  type ScheduledMessage,
} from "../store/scheduled-messages.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { deliverScheduledMessage } from "./jobs.ts";
import { wireScheduledMessage } from "./wire.ts";

type Draft = Omit<ScheduledMessage, "id" | "version" | "failed">;

const ownEvent = (userId: number, op: string, fields: Record<string, unknown>): LoggedEvent => ({
  audience: { kind: "users", userIds: [userId] },
  event: { type: "scheduled_messages", op, ...fields },
});

/** Writes the message and then its schedule. Dying between the two loses nothing: the sweeper makes the schedule. */
export async function scheduleMessage(draft: Draft): Promise<number> {
  const scheduled = await commit({ events: 1, scheduledMessages: 1 }, ({ scheduledMessage: id }) => {
    const created: ScheduledMessage = { ...draft, id, version: 1, failed: false };
    const event = ownEvent(draft.userId, "add", { scheduled_messages: [wireScheduledMessage(created)] });
    return { writes: [createScheduledMessage(created)], events: [event], result: created };
  });
  await followUp(() => arm(scheduled));
  return scheduled.id;
}

/** Replaces a scheduled message by an edited one, whose version is one more. False when another edit came first. */
export async function editScheduledMessage(before: ScheduledMessage, changes: Partial<Draft>): Promise<boolean> {
  const after = { ...before, ...changes, version: before.version + 1, failed: false };
  const written = await unlessChanged(
    commit({ events: 1 }, () => ({
      writes: [replaceScheduledMessage(before, after)],
      events: [updateEvent(after)],
      result: true,
    })),
  );
  if (written) {
    await followUp(() => arm(after));
    await followUp(() => cancelSchedule(scheduleName(before)));
  }
  return written;
}

/** False when it was edited, delivered or cancelled in the meantime. */
export async function cancelScheduledMessage(scheduled: ScheduledMessage): Promise<boolean> {
  const event = ownEvent(scheduled.userId, "remove", { scheduled_message_id: scheduled.id });
  const removed = await unlessChanged(
    commit({ events: 1 }, () => ({ writes: [deleteScheduledMessage(scheduled)], events: [event], result: true })),
  );
  if (removed) await followUp(() => cancelSchedule(scheduleName(scheduled)));
  return removed;
}

/**
 * Keeps a message that cannot be delivered, marked as failed, and tells its owner, in one transaction. False when it is
 * not that version any more.
 */
export const markFailed = (scheduled: ScheduledMessage, notice: Settled): Promise<boolean> => {
  const failed = { ...scheduled, failed: true };
  return unlessChanged(
    commit({ events: 2, messages: 1 }, (numbers) => {
      const { writes, event } = planMessage(notice, numbers);
      return {
        writes: [replaceScheduledMessage(scheduled, failed), ...writes],
        events: [updateEvent(failed), event],
        result: true,
      };
    }),
  );
};

/** Sends the message and removes its record in one transaction. False when it is not that version any more. */
export async function deliver(scheduled: ScheduledMessage, settled: Settled): Promise<boolean> {
  let jobs: MessagePlan["jobs"] = [];
  const delivered = await unlessChanged(
    commit({ events: 2 + fileEventsOf(settled), messages: 1 }, (numbers) => {
      const plan = planMessage(settled, numbers);
      jobs = plan.jobs;
      const removed = ownEvent(scheduled.userId, "remove", { scheduled_message_id: scheduled.id });
      const writes = [deleteScheduledMessage(scheduled), ...plan.writes];
      return { writes, events: [plan.event, removed, ...plan.fileEvents], result: true };
    }),
  );
  if (delivered) await Promise.all(jobs.map((job) => job.send()));
  return delivered;
}

const updateEvent = (scheduled: ScheduledMessage) =>
  ownEvent(scheduled.userId, "update", { scheduled_message: wireScheduledMessage(scheduled) });

/** False when the first write's condition did not hold: the record has changed since it was read. */
async function unlessChanged(written: Promise<boolean>): Promise<boolean> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof ConditionFailed && error.failed.includes(0)) return false;
    throw error;
  }
}

const scheduleName = ({ userId, id, version }: ScheduledMessage) => `message-${userId}-${id}-${version}`;

/** Has the message delivered at its time; doing it twice is doing it once. */
export const arm = (scheduled: ScheduledMessage): Promise<void> =>
  scheduleJob(scheduleName(scheduled), scheduled.deliverAt, deliverScheduledMessage, {
    user_id: scheduled.userId,
    id: scheduled.id,
    version: scheduled.version,
  });
