import type { DynamoDBStreamEvent } from "aws-lambda";
import type { LogEntry } from "../store/log-memory.ts";
import { entriesIn } from "../store/log-stream.ts";
import { logRequest, traced } from "../trace.ts";
import type { Uses } from "../uses.ts";

export interface FollowerSpec {
  /** What the fleet must wait by for the function to be there. */
  waiting?: "bell";
  uses: Uses;
}

/** A Lambda handler that is told of each entry of the log as soon as it is written, by the table's stream. */
export function logFollower(spec: FollowerSpec, run: (entries: readonly LogEntry[]) => Promise<void>) {
  const handler = async ({ Records }: DynamoDBStreamEvent): Promise<void> => {
    const startedAt = performance.now();
    const { trace } = await traced(() => run(entriesIn(Records)));
    logRequest({
      requestId: Records[0]?.eventID ?? "",
      endpoint: "job log-entries",
      status: 200,
      durationMs: Math.round(performance.now() - startedAt),
      ...trace,
    });
  };
  return Object.assign(handler, { kind: "follower" as const, spec });
}
