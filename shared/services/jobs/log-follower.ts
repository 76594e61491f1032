import type { DynamoDBStreamEvent } from "aws-lambda";
import type { LogEvent } from "../../base/schema/event-types.ts";
import type { Uses } from "../../base/uses.ts";
import type { LogEntry } from "../../store/log/entry.ts";
import { receiveEntries } from "../../store/log/stream.ts";
import { runInBackground } from "./background.ts";

export interface FollowerSpec {
  /** Deploys the function only in fleets with this waiting strategy. */
  waiting?: "wake-up-queue";
  /** The event types that invoke the function; absent: all. */
  events?: readonly LogEvent["type"][];
  /** The stream's batching window: Lambda waits this long for more entries, which saves invocations. Absent: none. */
  batchingWindowSeconds?: number;
  /**
   * Whether the function must process every entry, however late: Lambda then retries it until it succeeds. Otherwise entries
   * older than a minute are dropped.
   */
  retriesUntilSuccess?: boolean;
  /** The function's time limit in seconds. Default 30. */
  timeoutSeconds?: number;
  /** Lambda gives a function CPU in proportion to its memory. Default: that of all functions. */
  memoryMb?: number;
  uses: Uses;
}

/**
 * A Lambda handler for the log's new entries on the table's stream. At its startup, a host may also invoke the handler without
 * entries, so that it catches up with entries that were written while the host was down.
 */
export function logFollower(spec: FollowerSpec, run: (entries: readonly LogEntry[]) => Promise<void>) {
  const handler = ({ Records }: DynamoDBStreamEvent): Promise<void> =>
    runInBackground("log-entries", Records[0]?.eventID ?? "", () => run(receiveEntries(Records)));
  return Object.assign(handler, { kind: "follower" as const, spec });
}
