import { batchesOf } from "../../base/batches.ts";
import { isMailEnabled } from "../../base/environment.ts";
import type { Values } from "../../base/schema/params.ts";
import type { Subscriber } from "../../services/jobs/log-consumer.ts";
import { enqueueAll } from "../../services/jobs/queues.ts";
import { loadRealm, type Realm } from "../../services/organization/access.ts";
import { listAllPushed, listPushedAmong, listPushedUsers } from "../../store/delivery/pushed-messages.ts";
import { cursors } from "../../store/log/cursors.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { noteMissed } from "../missed-mail/note-missed.ts";
import { isPushUsed } from "../notifications/notifications-enabled.ts";
import { pushMessageJob, removeNotificationsJob } from "./jobs.ts";

/**
 * Enqueues jobs for push notifications, and notes whom to mail about missed messages. This needs no outbox, because the cursor
 * advances once a step's jobs are in their queues and its notes are written. Entries that expired from the log during an outage
 * are skipped.
 */
export const notifications: Subscriber = {
  name: "notifications",
  cursor: cursors.notifications,
  startsAt: "now",
  skipsExpired: true,
  events: ["message", "update_message_flags", "delete_message"],
  isNeeded: async () => isMailEnabled() || isPushUsed(await loadRealm()),
  step: async (entries) => {
    const realm = await loadRealm();
    await enqueueJobs(entries, realm);
    if (isMailEnabled()) await noteMissed(entries, realm);
    return undefined;
  },
};

async function enqueueJobs(entries: readonly LogEntry[], realm: Realm): Promise<void> {
  if (!isPushUsed(realm)) return;
  const ids = entries.flatMap(({ event }) => (event?.type === "message" ? [event.message_id] : []));
  await enqueueAll(
    pushMessageJob,
    ids.map((message_id) => ({ message_id, after: 0 })),
  );
  const removals = await Promise.all(entries.map(findRemovals));
  await enqueueAll(removeNotificationsJob, removals.flat().flatMap(inParts));
}

type Removal = Values<typeof removeNotificationsJob.body>;

/** How many notifications a job removes: whoever marks all as read may have many more than a job may name, or do in its time. */
const idsPerJob = 1000;

const inParts = ({ user_id, message_ids }: Removal): Removal[] =>
  [...batchesOf(message_ids, idsPerJob)].map((part) => ({ user_id, message_ids: part }));

/** Notifications to remove from devices because their messages were read or deleted. */
async function findRemovals({ event, audience }: LogEntry): Promise<Removal[]> {
  if (event?.type === "update_message_flags" && event.op === "add" && event.flag === "read") {
    const userIds = audience?.kind === "users" ? audience.userIds : [];
    const removals = await Promise.all(
      userIds.map(async (userId) => ({
        user_id: userId,
        message_ids: event.all ? await listAllPushed(userId) : await listPushedAmong(userId, event.messages),
      })),
    );
    return removals.filter(({ message_ids }) => message_ids.length > 0);
  }
  if (event?.type === "delete_message") {
    const removals = await Promise.all(
      event.message_ids.map(async (id) =>
        (await listPushedUsers(id)).map((userId) => ({ user_id: userId, message_ids: [id] })),
      ),
    );
    return removals.flat();
  }
  return [];
}
