import { batchesOf } from "../../../base/batches.ts";
import { int, list, object, optional, string } from "../../../base/schema/params.ts";
import { nowSeconds } from "../../../base/time.ts";
import { enqueueAll, jobKind } from "../../../services/jobs/queues.ts";
import type { Delivery } from "../../../services/jobs/worker.ts";
import type { ConnectedQueue } from "./connections.ts";

/** Posting by jobs: to more connections than one invocation can, and again where a post failed. */

export const connectionsPerJob = 25;

/** After this, clients have asked by themselves. It is longer than the job of an invocation that died stays invisible. */
const maxJobAgeSeconds = 240;

/** A job whose posts failed is done again after these seconds. */
export const retryPostsAfterSeconds = [1, 5];

export const postEventsJob = jobKind("deliveries", "post-events", {
  connections: list(
    object({
      queue_id: string(),
      user_id: int(),
      connection_id: string(),
      posted: optional(int()),
      evaluated: optional(int()),
    }),
  ),
  /** The sequence number of the last entry to post. */
  up_to: int(),
  /** UNIX seconds at which the entry was noticed. */
  at: int(),
});

/** Has events posted by other invocations. */
export async function postByJobs(targets: readonly ConnectedQueue[], upTo: number): Promise<void> {
  const at = nowSeconds();
  const jobs = [...batchesOf(targets, connectionsPerJob)].map((batch) => ({
    connections: batch.map(({ queueId, userId, connectionId, posted, evaluated }) => ({
      ...{ queue_id: queueId, user_id: userId, connection_id: connectionId, posted, evaluated },
    })),
    ...{ up_to: upTo, at },
  }));
  await enqueueAll(postEventsJob, jobs);
}

interface PostEventsJob {
  connections: readonly {
    queue_id: string;
    user_id: number;
    connection_id: string;
    posted?: number | undefined;
    evaluated?: number | undefined;
  }[];
  up_to: number;
  at: number;
}

/**
 * Posts the events of a job, unless it is late. Posts even if there are none: the next message counts on this one. Throws when a
 * post failed, unless it was the last attempt; clients drop what the next attempt posts again.
 */
export async function postInTime(
  { connections, up_to: upTo, at }: PostEventsJob,
  { isLast }: Pick<Delivery, "isLast">,
): Promise<void> {
  if (Date.now() / 1000 - at > maxJobAgeSeconds) return;
  const [{ postEvents }, { entriesBetween }] = await Promise.all([
    import("./connections.ts"),
    import("../position.ts"),
  ]);
  // Read once for all connections.
  await entriesBetween(Math.min(...connections.map(({ evaluated = upTo - 1 }) => evaluated)), upTo);
  const results = await Promise.all(
    connections.map(({ queue_id: queueId, user_id: userId, connection_id: connectionId, posted, evaluated }) =>
      postEvents({ queueId, userId, connectionId, posted, evaluated }, upTo, { postEmpty: true }),
    ),
  );
  const failed = results.filter((result) => result === "failed").length;
  if (failed > 0 && !isLast) throw new Error(`${failed} posts failed`);
}
