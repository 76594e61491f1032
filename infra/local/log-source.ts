import { AsyncLocalStorage } from "node:async_hooks";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { toAttributes } from "../../shared/store/attributes.ts";
import { eventKey } from "../../shared/store/log.ts";
import { type LogEntry, onGrowth } from "../../shared/store/log-memory.ts";

/**
 * Feeds what this process writes to the log to a handler as Lambda does from the table's stream: one batch after the
 * other, each of what has come since. The embedded engine has no streams.
 */
export function startLogSource(handler: (event: DynamoDBStreamEvent) => Promise<void>): { stop(): void } {
  let waiting: LogEntry[] = [];
  let working = false;
  const work = async () => {
    if (working) return;
    working = true;
    while (waiting.length > 0) {
      const batch = waiting.splice(0, 100);
      await handler({ Records: batch.map(recordOf) }).catch((error: unknown) =>
        console.error(JSON.stringify({ logSource: String(error) })),
      );
    }
    working = false;
  };
  // Not part of the request that wrote: its cost and its permissions are its own.
  const outside = AsyncLocalStorage.snapshot();
  const stop = onGrowth((written) => {
    waiting.push(...written);
    outside(() => setImmediate(work));
  });
  return {
    stop: () => {
      stop();
      waiting = [];
    },
  };
}

/** An entry as the table's stream tells of it. */
export function recordOf({ place, ...logged }: LogEntry) {
  const item = { ...eventKey(place), ...logged };
  return {
    eventName: "INSERT" as const,
    eventID: String(place),
    dynamodb: {
      Keys: toAttributes(eventKey(place)) as Record<string, { S: string }>,
      NewImage: toAttributes(item) as Record<string, { S: string }>,
    },
  };
}
