import { randomUUID } from "node:crypto";
import { padded } from "../table/keys.ts";
import { queryItems } from "../table/reads.ts";
import { deleteItem } from "../table/single-writes.ts";
import { create, type Write } from "../table/writes.ts";

/**
 * A transactional outbox: a job written in its change's transaction reaches its queue even if the function dies before sending
 * it.
 */
export interface OutboxEntry {
  queue: string;
  /** The job as the queue carries it. */
  body: string;
  /** The delay after which the queue delivers the job. */
  delaySeconds?: number;
  /** UNIX milliseconds. */
  writtenAt: number;
  id: string;
}

/** Entries are spread over several partitions, so that none becomes hot. */
export const outboxShards = 8;

const key = ({ id, writtenAt }: Pick<OutboxEntry, "id" | "writtenAt">) => ({
  pk: `OUTBOX#${Number.parseInt(id.slice(0, 8), 16) % outboxShards}`,
  sk: `${padded(writtenAt)}#${id}`,
});

export const newOutboxEntry = (queue: string, body: string, delaySeconds = 0): OutboxEntry => ({
  queue,
  body,
  ...(delaySeconds > 0 && { delaySeconds }),
  writtenAt: Date.now(),
  id: randomUUID(),
});

export const putOutboxEntry = (entry: OutboxEntry): Write => create({ ...key(entry), ...entry });

/** Idempotent; 1 write unit. */
export const deleteOutboxEntry = (entry: OutboxEntry): Promise<void> => deleteItem(key(entry));

/** At most `limit` entries of a shard that were written before `before` (UNIX milliseconds), oldest first. */
export const listOutbox = (shard: number, before: number, limit: number) =>
  queryItems<OutboxEntry>({ pk: `OUTBOX#${shard}`, to: padded(before), limit });
