import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import type { FollowerSpec } from "../../shared/services/jobs/log-follower.ts";
import type { LogEntry } from "../../shared/store/log/entry.ts";
import { onNewEntries } from "../../shared/store/log/entry-cache.ts";
import { eventKey } from "../../shared/store/table/log-items.ts";

const maxBatchEntries = 100;
/** The pauses before each retry of a failed batch. Without `retriesUntilSuccess` there are two, as on AWS. */
const retryPausesMs = [1000, 5000, 30_000];

type SourceOptions = Pick<FollowerSpec, "events" | "batchingWindowSeconds" | "retriesUntilSuccess">;

interface LogSource {
  /** Resolves when no batch is being processed any more. */
  stop(): Promise<void>;
}

/**
 * Emulates the table's stream, which one machine's table does not have: passes the log entries that this process writes to a
 * handler, one batch after another. A handler that catches up is called once at the start with an empty batch, for what
 * was written while the host was down.
 */
export function startLogSource(
  handler: (event: DynamoDBStreamEvent) => Promise<void>,
  { events, batchingWindowSeconds = 0, retriesUntilSuccess = false }: SourceOptions = {},
): LogSource {
  const stopping = new AbortController();
  const { signal } = stopping;
  let pendingEntries: LogEntry[] = [];
  let delivery: Promise<void> | undefined;
  const deliver = async (batch: readonly LogEntry[]) => {
    for (const retryMs of [...(retriesUntilSuccess ? retryPausesMs : retryPausesMs.slice(0, 2)), undefined])
      try {
        return await handler({ Records: batch.map(recordOf) });
      } catch (error) {
        console.error(JSON.stringify({ logSource: String(error) }));
        if (retryMs !== undefined) await pause(retryMs, undefined, { signal });
      }
  };
  /** Delivers until no entries are left. The first delivery is made at once, even without entries. */
  const deliverAll = async (isFirst: boolean) => {
    for (let isGathering = !isFirst; pendingEntries.length > 0 || !isGathering; isGathering = true) {
      if (isGathering && batchingWindowSeconds > 0) await pause(batchingWindowSeconds * 1000, undefined, { signal });
      await deliver(pendingEntries.splice(0, maxBatchEntries));
    }
  };
  const startDelivery = (isFirst = false) => {
    delivery ??= deliverAll(isFirst)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        delivery = undefined;
        if (pendingEntries.length > 0 && !signal.aborted) startDelivery();
      });
  };
  // Runs outside the request that wrote the entry, so that neither its cost nor its permissions are attributed to it.
  const outsideRequest = AsyncLocalStorage.snapshot();
  const stopListening = onNewEntries((written) => {
    pendingEntries.push(...written.filter(({ event }) => event && (events?.includes(event.type) ?? true)));
    if (pendingEntries.length > 0) outsideRequest(() => setImmediate(() => startDelivery()));
  });
  if (retriesUntilSuccess) outsideRequest(startDelivery, true);
  return {
    stop: async () => {
      stopListening();
      pendingEntries = [];
      stopping.abort();
      await delivery;
    },
  };
}

/** A log entry as a record of the table's stream. */
export function recordOf({ sequence, ...entry }: LogEntry) {
  const item = { ...eventKey(sequence), ...entry };
  return {
    eventName: "INSERT" as const,
    eventID: String(sequence),
    dynamodb: {
      Keys: marshall(eventKey(sequence)) as Record<string, { S: string }>,
      NewImage: marshall(item, { removeUndefinedValues: true }) as Record<string, { S: string }>,
    },
  };
}
