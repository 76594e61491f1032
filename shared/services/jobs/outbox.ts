import { describeError } from "../../base/observability/describe-error.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import {
  deleteOutboxEntry,
  listOutbox,
  newOutboxEntry,
  type OutboxEntry,
  outboxShards,
  putOutboxEntry,
} from "../../store/delivery/outbox.ts";
import { type FollowUp, startFollowUps } from "../../store/table/follow-ups.ts";
import { hasTimeLeft } from "../../store/table/time-limit.ts";
import { transact } from "../../store/table/transactions.ts";
import { enqueueBody, type JobKind, jobBody } from "./queues.ts";

/**
 * Jobs that follow a change. Each is stored in the change's transaction, and so is sent at least once if, and only if, the change
 * is made. 3 write units in all.
 */

/** A job that the change sends. It becomes visible after `delaySeconds`. */
export function outboxJob<S extends Shape>(kind: JobKind<S>, job: Values<S>, delaySeconds = 0): FollowUp {
  const entry = newOutboxEntry(kind.queue, jobBody(kind, job), delaySeconds);
  return { name: `job ${kind.name}`, write: putOutboxEntry(entry), start: () => sendEntry(entry) };
}

/** Without as much time, work is left to its job. */
const minWorkMs = 2000;

/** Work that may be done already when its change is committed. */
interface Attempt extends FollowUp {
  /** Whether the work was done. Otherwise its job was sent. */
  readonly isDone: boolean;
}

/**
 * Work that is done as soon as its change is committed, or by a job if there is no time left, `work` fails, or it returns false
 * because it is not finished. The job may run although the work was done, so both must be idempotent.
 */
export function nowOrLater<S extends Shape>(
  kind: JobKind<S>,
  job: Values<S>,
  // biome-ignore lint/suspicious/noConfusingVoidType: most work has no result.
  work: () => Promise<boolean | void>,
): Attempt {
  const entry = newOutboxEntry(kind.queue, jobBody(kind, job));
  let isDone = false;
  const attempt = async () => {
    try {
      isDone = hasTimeLeft(minWorkMs) && (await work()) !== false;
    } catch (error) {
      console.error(JSON.stringify({ leftToJob: kind.name, error: describeError(error) }));
    }
    await (isDone ? deleteOutboxEntry(entry) : sendEntry(entry));
  };
  return {
    name: `job ${kind.name}`,
    write: putOutboxEntry(entry),
    start: attempt,
    get isDone() {
      return isDone;
    },
  };
}

/**
 * Does work of several transactions that a job follows. The job is stored before the first of them and sent after the last, unless
 * `isNeeded` is false of the result. When the work throws or its function dies, a sweep sends the job.
 */
export async function withJobAfter<S extends Shape, T>(
  kind: JobKind<S>,
  job: Values<S>,
  work: () => Promise<T>,
  isNeeded: (result: T) => boolean,
): Promise<T> {
  const entry = newOutboxEntry(kind.queue, jobBody(kind, job));
  await transact([putOutboxEntry(entry)]);
  const result = await work();
  const start = () => (isNeeded(result) ? sendEntry(entry) : deleteOutboxEntry(entry));
  await startFollowUps([{ name: `job ${kind.name}`, start }]);
  return result;
}

/** Sends the job before deleting its entry: a crash in between sends it twice rather than never. */
async function sendEntry(entry: OutboxEntry): Promise<void> {
  await enqueueBody(entry.queue, entry.body, entry.delaySeconds);
  await deleteOutboxEntry(entry);
}

/** How long the sweep leaves an entry to the function that wrote it. */
const graceMs = 20_000;

/** The maximum number of entries of a shard that one sweep sends; the next sweep sends the rest. */
const maxSweptEntries = 500;

/** Sends jobs whose function died before sending them. */
export async function sweepOutbox(): Promise<void> {
  const shards = Array.from({ length: outboxShards }, (_, shard) => shard);
  const failures: unknown[] = [];
  await Promise.all(
    shards.map(async (shard) => {
      // An entry that its queue refuses must not hold up the entries behind it.
      for (const entry of await listOutbox(shard, Date.now() - graceMs, maxSweptEntries))
        await sendEntry(entry).catch((error: unknown) => failures.push(error));
    }),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} outbox entries could not be sent`);
}
