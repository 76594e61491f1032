import { describeError } from "../describe-error.ts";
import type { Shape, Values } from "../http/params.ts";
import {
  deleteOutboxEntry,
  listOutbox,
  newOutboxEntry,
  type OutboxEntry,
  outboxShards,
  putOutboxEntry,
} from "../store/outbox.ts";
import type { Write } from "../store/writes.ts";
import { enqueueBody, type JobKind, jobBody } from "./queues.ts";

export interface OutboxJob {
  /** Belongs into the transaction of the change that the job follows. */
  write: Write;
  /** Sends the job once the transaction holds. Never throws: what is not sent now, the sweeper sends. */
  send(): Promise<void>;
  /** Takes back a job that was written ahead of a change and is not needed after it; 1 write unit. */
  drop(): Promise<void>;
}

/**
 * A job that is sent at least once if, and only if, the transaction with its `write` holds, to be seen after
 * `delaySeconds`. 3 write units in all.
 */
export function outboxJob<S extends Shape>(kind: JobKind<S>, job: Values<S>, delaySeconds = 0): OutboxJob {
  const entry = newOutboxEntry(kind.queue, jobBody(kind, job), delaySeconds);
  return {
    write: putOutboxEntry(entry),
    send: async () => {
      try {
        await handOver(entry);
      } catch (error) {
        console.error(JSON.stringify({ outbox: entry.queue, id: entry.id, error: describeError(error) }));
      }
    },
    drop: () => deleteOutboxEntry(entry),
  };
}

/** The queue has the job before the entry goes: dying in between sends it twice, never not at all. */
async function handOver(entry: OutboxEntry): Promise<void> {
  await enqueueBody(entry.queue, entry.body, entry.delaySeconds);
  await deleteOutboxEntry(entry);
}

/** Milliseconds for which an entry is left to the function that wrote it. */
const grace = 20_000;

/** Sends what functions left behind, 500 jobs of a shard at most; the rest waits for the next sweep. */
export async function sweepOutbox(): Promise<void> {
  const shards = Array.from({ length: outboxShards }, (_, shard) => shard);
  const failures: unknown[] = [];
  await Promise.all(
    shards.map(async (shard) => {
      // An entry that its queue refuses must not hold up those behind it.
      for (const entry of await listOutbox(shard, Date.now() - grace, 500))
        await handOver(entry).catch((error: unknown) => failures.push(error));
    }),
  );
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} outbox entries could not be sent`);
}
