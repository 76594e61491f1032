import { setTimeout as pause } from "node:timers/promises";
import type { Values } from "../http/params.ts";
import { enqueueAll } from "../jobs/queues.ts";
import { noteMissedJob } from "../missed-mail/jobs.ts";
import { accessRealm, type Realm } from "../organization/access.ts";
import { eventRetentionSeconds, mailIsSent } from "../settings.ts";
import { readHead } from "../store/log.ts";
import type { LogEntry } from "../store/log-memory.ts";
import { LogReader, readEntries } from "../store/log-tail.ts";
import { findPushPosition, movePushPosition, type PushPosition } from "../store/push-position.ts";
import { listAllPushed, listPushed, listPushedUsers } from "../store/pushed-messages.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { beginFollowing, isFollowed, tellsDevices } from "./followed.ts";
import { pushMessageJob, removeNotificationsJob } from "./jobs.ts";

const entriesToStep = 200;
const leaseMs = 60_000;
const gapPauseMs = 200;

/**
 * Makes jobs of what is new in the log: it is the outbox of notifications. One worker does it at a time, and moves the
 * position on when the jobs of a step are in their queues, so that whoever dies leaves the step to the next.
 */
export async function followLog(budgetMs = 20_000): Promise<void> {
  const realm = await accessRealm();
  if (!isFollowed(realm)) return;
  const end = Date.now() + budgetMs;
  try {
    while (Date.now() < end) {
      const before = await findPushPosition();
      if (!before) await beginFollowing();
      if (!before || before.leasedUntil > Date.now()) return;
      const head = (await readHead()).event;
      if (head <= before.place) return;
      if (await isBehindLog(before)) return await movePushPosition(before, { place: head, leasedUntil: 0 });
      const place = await followFrom(before, end, realm);
      // Whoever was sent away during the lease is not coming back for what they saw.
      if ((await readHead()).event <= place) return;
      await pause(gapPauseMs);
    }
  } catch (error) {
    // Another worker took over.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

/** Nothing was followed for longer than the log keeps events: notifications were switched off meanwhile. */
const isBehindLog = async ({ place, movedAt }: PushPosition): Promise<boolean> =>
  Date.now() - movedAt > eventRetentionSeconds * 1000 && (await readEntries(place, place + 1)).length === 0;

async function followFrom(before: PushPosition, end: number, realm: Realm): Promise<number> {
  let held: PushPosition = { ...before, leasedUntil: Date.now() + leaseMs };
  await movePushPosition(before, held);
  const log = new LogReader(before.place);
  while (Date.now() < end) {
    const entries = await log.next(entriesToStep);
    if (entries.length === 0 && !log.blocked) break;
    if (entries.length === 0) await pause(gapPauseMs);
    else {
      await makeJobs(entries, realm);
      const next = { ...held, place: log.place };
      await movePushPosition(held, next);
      held = next;
    }
  }
  await movePushPosition(held, { ...held, leasedUntil: 0 });
  return log.place;
}

async function makeJobs(entries: readonly LogEntry[], realm: Realm): Promise<void> {
  const ids = entries.flatMap(({ event }) => (event?.type === "message" ? [event.message_id as number] : []));
  const jobs = ids.map((message_id) => ({ message_id, after: 0 }));
  if (mailIsSent())
    await enqueueAll(
      noteMissedJob,
      jobs.map((job) => ({ ...job, again: false })),
    );
  if (!tellsDevices(realm)) return;
  await enqueueAll(pushMessageJob, jobs);
  const removals = await Promise.all(entries.map(removalsIn));
  await enqueueAll(removeNotificationsJob, removals.flat());
}

type Removal = Values<typeof removeNotificationsJob.body>;

/** What is read or deleted and shown on somebody's devices. */
async function removalsIn({ event, audience }: LogEntry): Promise<Removal[]> {
  if (event?.type === "update_message_flags" && event.op === "add" && event.flag === "read") {
    const userIds = audience?.kind === "users" ? audience.userIds : [];
    const shown = await Promise.all(
      userIds.map(async (userId) => ({
        user_id: userId,
        message_ids: event.all ? await listAllPushed(userId) : await listPushed(userId, event.messages as number[]),
      })),
    );
    return shown.filter(({ message_ids }) => message_ids.length > 0);
  }
  if (event?.type === "delete_message") {
    const ids = (event.message_ids ?? [event.message_id]) as number[];
    const shown = await Promise.all(
      ids.map(async (id) => (await listPushedUsers(id)).map((userId) => ({ user_id: userId, message_ids: [id] }))),
    );
    return shown.flat();
  }
  return [];
}
