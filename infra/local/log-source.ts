import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import type { FollowerSpec } from "../../shared/jobs/log-follower.ts";
import type { LogEntry } from "../../shared/store/log/entry.ts";
import { onNewEntries } from "../../shared/store/log/entry-cache.ts";
import { eventKey } from "../../shared/store/table/log-end.ts";

/** The limit of a batch, and the pauses before each retry of a failed one. */
const [maxBatchEntries, retryPausesMs] = [100, [1000, 5000, 30_000]];

type SourceOptions = Pick<FollowerSpec, "events" | "gatherSeconds" | "catchesUp">;

export interface LogSource {
  /** Resolves when no batch is being processed any more. */
  stop(): Promise<void>;
}

/**
 * Emulates the table's stream, which the embedded engine does not have: passes the log entries that this process writes to a
 * handler, one batch after another. A handler that catches up is called once at the start with an empty batch, for what
 * was written while the host was down.
 */
export function startLogSource(
  handler: (event: DynamoDBStreamEvent) => Promise<void>,
  { events, gatherSeconds = 0, catchesUp = false }: SourceOptions = {},
): LogSource {
  const stopping = new AbortController();
  const { signal } = stopping;
  let waiting: LogEntry[] = [];
  let work: Promise<void> | undefined;
  const deliver = async (batch: readonly LogEntry[]) => {
    for (const retryMs of [...(catchesUp ? retryPausesMs : []), undefined])
      try {
        return await handler({ Records: batch.map(recordOf) });
      } catch (error) {
        console.error(JSON.stringify({ logSource: String(error) }));
        if (retryMs !== undefined) await pause(retryMs, undefined, { signal });
      }
  };
  const deliverAll = async (isFirst: boolean) => {
    for (let gathers = !isFirst; waiting.length > 0 || !gathers; gathers = true) {
      if (gathers) await pause(gatherSeconds * 1000, undefined, { signal });
      await deliver(waiting.splice(0, maxBatchEntries));
    }
  };
  const begin = (isFirst = false) => {
    work ??= deliverAll(isFirst)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        work = undefined;
        if (waiting.length > 0 && !signal.aborted) begin();
      });
  };
  // Runs outside the request that wrote the entry, so that neither its cost nor its permissions are attributed to it.
  const outside = AsyncLocalStorage.snapshot();
  const stop = onNewEntries((written) => {
    waiting.push(...written.filter(({ event }) => event && (events?.includes(event.type) ?? true)));
    if (waiting.length > 0) outside(() => setImmediate(() => begin()));
  });
  if (catchesUp) outside(begin, true);
  return {
    stop: async () => {
      stop();
      waiting = [];
      stopping.abort();
      await work;
    },
  };
}

/** A log entry as a record of the table's stream. */
export function recordOf({ sequence, ...logged }: LogEntry) {
  const item = { ...eventKey(sequence), ...logged };
  return {
    eventName: "INSERT" as const,
    eventID: String(sequence),
    dynamodb: {
      Keys: marshall(eventKey(sequence)) as Record<string, { S: string }>,
      NewImage: marshall(item, { removeUndefinedValues: true }) as Record<string, { S: string }>,
    },
  };
}
