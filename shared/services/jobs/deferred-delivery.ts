import { batchesOf } from "../../base/batches.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import { nowSeconds } from "../../base/time.ts";
import type { FollowUp } from "../../store/table/follow-ups.ts";
import { enqueueAll, type JobKind } from "./queues.ts";
import { cancelSchedule, scheduleJob } from "./schedules.ts";

/** How far ahead a sweep creates missing schedules: two intervals of the sweep, so that one may fail. */
const maxAheadSeconds = 600;
/** Seconds after which an item counts as missed by its schedule. */
const overdueSeconds = 30;
/** The number of items that a sweep handles at the same time. */
const batchSize = 10;

interface Deferred<T, R, S extends Shape> {
  /** The job that delivers an item, sent by its schedule or by a sweep. Must do nothing if the item is no longer pending. */
  kind: JobKind<S>;
  jobOf(item: T): Values<S>;
  /** The schedule's name, which must differ for each delivery time of an item. */
  nameOf(item: T): string;
  /** A bounded number of items due at or before a UNIX time, the earliest first. */
  listDue(untilSeconds: number): Promise<R[]>;
  /** The item, if its delivery is still pending. */
  findPending(due: R): Promise<T | undefined>;
}

/**
 * Delivery at a given time: an item in the table, and a schedule that sends a job. The schedule is created after the item is
 * written; a sweep creates the schedules of functions that died in between, and delivers items that their schedule missed.
 */
export function deferredDelivery<T extends { deliverAt: number }, R, S extends Shape>(deferred: Deferred<T, R, S>) {
  const { kind, jobOf, nameOf, listDue, findPending } = deferred;

  /** Idempotent. */
  const schedule = (item: T): Promise<void> => scheduleJob(nameOf(item), item.deliverAt, kind, jobOf(item));

  /** Follows the change that stores an item. */
  const scheduled = (item: T): FollowUp => ({ name: `schedule ${nameOf(item)}`, start: () => schedule(item) });

  /** Follows the change that removes an item, also one whose schedule has fired. */
  const cancelled = (item: T): FollowUp => ({
    name: `end of schedule ${nameOf(item)}`,
    start: () => cancelSchedule(nameOf(item)),
  });

  /** Handles items in batches, the earliest and so the overdue first. A failure does not stop the other items. */
  async function sweep(): Promise<void> {
    const now = nowSeconds();
    const due = await listDue(now + maxAheadSeconds);
    const failures: unknown[] = [];
    const collectFailures = async <V>(tasks: Promise<V>[]): Promise<V[]> => {
      const results = await Promise.allSettled(tasks);
      failures.push(...results.flatMap((result) => (result.status === "rejected" ? [result.reason] : [])));
      return results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    };
    for (const batch of batchesOf(due, batchSize)) {
      const pending = (await collectFailures(batch.map(findPending))).flatMap((item) => item ?? []);
      const overdue = pending.filter(({ deliverAt }) => deliverAt <= now - overdueSeconds);
      const upcoming = pending.filter(({ deliverAt }) => deliverAt > now);
      await collectFailures([enqueueAll(kind, overdue.map(jobOf)), ...upcoming.map(schedule)]);
    }
    if (failures.length > 0) throw new AggregateError(failures, `${failures.length} deliveries could not be swept`);
  }

  return { scheduled, cancelled, sweep };
}
