import { deliverScheduledMessageJob } from "../../../shared/messaging/scheduled-messages/jobs.ts";
import { enqueueAll } from "../../../shared/services/jobs/queues.ts";
import { createScheduledMessage, type ScheduledMessage } from "../../../shared/store/messages/scheduled-messages.ts";
import { transact } from "../../../shared/store/table/transactions.ts";
import { inSeconds } from "../waiting.ts";
import type { Person } from "../world.ts";

/** Scheduled messages that are due at once; the API schedules nothing for the next five seconds. */

/** Writes a scheduled message that is due into the table, without creating a schedule. */
export async function dueMessage(
  owner: Person,
  overrides: Partial<ScheduledMessage>,
  id: number,
): Promise<ScheduledMessage> {
  const due: ScheduledMessage = {
    id,
    userId: owner.id,
    version: 3,
    content: "Now",
    html: "<p>Now</p>",
    deliverAt: inSeconds(0),
    readBySender: false,
    client: "test",
    failed: false,
    ...overrides,
  };
  await transact([createScheduledMessage(due)]);
  return due;
}

/** Enqueues a message's delivery `times` times, as its schedule does when it fires. */
export const fire = (due: ScheduledMessage, times: number, version = due.version) =>
  enqueueAll(
    deliverScheduledMessageJob,
    Array.from({ length: times }, () => ({ user_id: due.userId, id: due.id, version })),
  );
