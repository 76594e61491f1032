import { describeError } from "../observability/describe-error.ts";
import type { Shape, Values } from "../schema/params.ts";
import {
  deleteOutboxEntry,
  listOutbox,
  newOutboxEntry,
  type OutboxEntry,
  outboxShards,
  putOutboxEntry,
} from "../store/delivery/outbox.ts";
import type { Write } from "../store/table/writes.ts";
import { enqueueBody, type JobKind, jobBody } from "./queues.ts";

export interface OutboxJob {
  /** Goes into the transaction of the change that causes the job. */
  write: Write;
  /** Sends the job after the transaction. Never throws: the sweep sends a job that fails here. */
  send(): Promise<void>;
  /** Deletes a job that was written before a change and turned out not to be needed; 1 write unit. */
  drop(): Promise<void>;
}

/**
 * A job that is sent at least once if, and only if, the transaction with its `write` succeeds. It becomes visible after
 * `delaySeconds`. 3 write units in all.
 */
export function outboxJob<S extends Shape>(kind: JobKind<S>, job: Values<S>, delaySeconds = 0): OutboxJob {
  const entry = newOutboxEntry(kind.queue, jobBody(kind, job), delaySeconds);
  return {
    write: putOutboxEntry(entry),
    send: async () => {
      try {
        await sendEntry(entry);
      } catch (error) {
        console.error(JSON.stringify({ outbox: entry.queue, id: entry.id, error: describeError(error) }));
      }
    },
    drop: () => deleteOutboxEntry(entry),
  };
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
