import { AsyncLocalStorage } from "node:async_hooks";
import { setTimeout as pause } from "node:timers/promises";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import type { FollowerSpec } from "../../shared/jobs/log-follower.ts";
import type { LogEntry } from "../../shared/store/log/entry.ts";
import { onGrowth } from "../../shared/store/log/memory.ts";
import { eventKey } from "../../shared/store/table/log-end.ts";

/** Entries of one batch, and pauses after which one that failed is handed over again. */
const [entriesAtOnce, retryPausesMs] = [100, [1000, 5000, 30_000]];

type Asked = Pick<FollowerSpec, "events" | "gatherSeconds" | "catchesUp">;

export interface LogSource {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

/**
 * Feeds what this process writes to the log to a handler as Lambda does from the table's stream: one batch after the
 * other, each of what has come since. The embedded engine has no streams. A handler that catches up is told at once of
 * what was written while the host was down.
 */
export function startLogSource(
  handler: (event: DynamoDBStreamEvent) => Promise<void>,
  { events, gatherSeconds = 0, catchesUp = false }: Asked = {},
): LogSource {
  const stopping = new AbortController();
  const { signal } = stopping;
  let waiting: LogEntry[] = [];
  let work: Promise<void> | undefined;
  const hand = async (batch: readonly LogEntry[]) => {
    for (const retryMs of [...(catchesUp ? retryPausesMs : []), undefined])
      try {
        return await handler({ Records: batch.map(recordOf) });
      } catch (error) {
        console.error(JSON.stringify({ logSource: String(error) }));
        if (retryMs !== undefined) await pause(retryMs, undefined, { signal });
      }
  };
  const handAll = async (isFirst: boolean) => {
    for (let gathers = !isFirst; waiting.length > 0 || !gathers; gathers = true) {
      if (gathers) await pause(gatherSeconds * 1000, undefined, { signal });
      await hand(waiting.splice(0, entriesAtOnce));
    }
  };
  const begin = (isFirst = false) => {
    work ??= handAll(isFirst)
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      })
      .finally(() => {
        work = undefined;
        if (waiting.length > 0 && !signal.aborted) begin();
      });
  };
  // Not part of the request that wrote: its cost and its permissions are its own.
  const outside = AsyncLocalStorage.snapshot();
  const stop = onGrowth((written) => {
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

/** An entry as the table's stream tells of it. */
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
