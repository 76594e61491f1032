import { setTimeout as pause } from "node:timers/promises";
import type { Values } from "../http/params.ts";
import { enqueueAll } from "../jobs/queues.ts";
import { accessRealm } from "../organization/access.ts";
import { pushBouncerUrl } from "../settings.ts";
import { readHead } from "../store/log.ts";
import type { LogEntry } from "../store/log-memory.ts";
import { LogReader } from "../store/log-tail.ts";
import { findPushPosition, movePushPosition, type PushPosition } from "../store/push-position.ts";
import { listAllPushed, listPushed, listPushedUsers } from "../store/pushed-messages.ts";
import { ConditionFailed } from "../store/transactions.ts";
import { pushMessageJob, removeNotificationsJob } from "./jobs.ts";

const entriesToStep = 200;
const leaseMs = 60_000;
const gapPauseMs = 200;

/**
 * Makes jobs of what is new in the log: it is the outbox of notifications. One worker does it at a time, and moves the
 * position on when the jobs of a step are in their queues, so that whoever dies leaves the step to the next.
 */
export async function followLog(budgetMs = 20_000): Promise<void> {
  if (!pushBouncerUrl() || !(await accessRealm()).pushUsed) return;
  const end = Date.now() + budgetMs;
  try {
    while (Date.now() < end) {
      const before = await findPushPosition();
      if (!before || before.leasedUntil > Date.now()) return;
      const place = await followFrom(before, end);
      // Whoever was sent away during the lease is not coming back for what they saw.
      if ((await readHead()).event <= place) return;
      await pause(gapPauseMs);
    }
  } catch (error) {
    // Another worker took over.
    if (!(error instanceof ConditionFailed)) throw error;
  }
}

async function followFrom(before: PushPosition, end: number): Promise<number> {
  let held: PushPosition = { ...before, leasedUntil: Date.now() + leaseMs };
  await movePushPosition(before, held);
  const log = new LogReader(before.place);
  while (Date.now() < end) {
    const entries = await log.next(entriesToStep);
    if (entries.length === 0 && !log.blocked) break;
    if (entries.length === 0) await pause(gapPauseMs);
    else {
      await makeJobs(entries);
      const next = { ...held, place: log.place };
      await movePushPosition(held, next);
      held = next;
    }
  }
  await movePushPosition(held, { ...held, leasedUntil: 0 });
  return log.place;
}

async function makeJobs(entries: readonly LogEntry[]): Promise<void> {
  const messages = entries.flatMap(({ event }) =>
    event?.type === "message" ? [{ message_id: event.message_id as number, after: 0 }] : [],
  );
  await enqueueAll(pushMessageJob, messages);
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
