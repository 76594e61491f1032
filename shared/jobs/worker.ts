import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { describeError } from "../describe-error.ts";
import { type Shape, strictSchemaOf, type Values } from "../http/params.ts";
import { logRequest, traced } from "../trace.ts";
import type { Uses } from "../uses.ts";
import { type JobKind, postponeJob } from "./queues.ts";

export interface WorkerSpec<S extends Shape = Shape> {
  /** What the worker does; its queue exists because of this declaration. */
  job: JobKind<S>;
  /** How often a job is tried before it goes to the dead-letter queue. */
  attempts: number;
  /**
   * Seconds after which a job that failed comes back: after the first try, the second ... Absent, and for a function that
   * died at work, it is the queue's visibility timeout.
   */
  retryAfterSeconds?: readonly number[];
  /** The function's time limit in seconds; the queue's visibility timeout follows from it. Default 30. */
  timeoutSeconds?: number;
  /** Memory in MB that the function must have, where the fleet's other functions have less. */
  memoryMb?: number;
  /** Jobs handed over at once. Default 10. */
  batchSize?: number;
  /** Functions running at once, 2 or more. Default 5. */
  concurrency?: number;
  /** EventBridge Scheduler sends the job `recurring.body` at this rate. */
  recurring?: { rate: "1 minute" | "5 minutes" | "1 hour" | "1 day"; body: Values<S> };
  /** What the fleet must wait by for the worker to be there. */
  waiting?: "bell";
  uses: Uses;
}

/** Tells a job what it must know of its own delivery. */
export interface Delivery {
  /** 1 at the first try. */
  attempt: number;
  /** Whether a failure now sends the job to the dead-letter queue. */
  isLast: boolean;
}

/** A Lambda handler for one queue's jobs that carries its declaration; jobs that throw are retried, each alone. */
export function worker<const S extends Shape>(
  spec: WorkerSpec<S>,
  run: (job: Values<S>, delivery: Delivery) => Promise<void>,
) {
  const { queue } = spec.job;
  const handler = async (event: SQSEvent, _context?: Context): Promise<SQSBatchResponse> => {
    const schema = strictSchemaOf(spec.job.body);
    const failures = await Promise.all(
      event.Records.map(async ({ messageId, receiptHandle, body, attributes }) => {
        const attempt = Number(attributes.ApproximateReceiveCount);
        const isLast = attempt >= spec.attempts;
        const startedAt = performance.now();
        const { result: failed, trace } = await traced(async () => {
          try {
            await run(schema.parse(JSON.parse(body)) as Values<S>, { attempt, isLast });
            return false;
          } catch (error) {
            console.error(JSON.stringify({ requestId: messageId, queue, attempt, error: describeError(error) }));
            // After the last try it comes back to be put aside at once, among the dead letters.
            const pause = isLast ? spec.retryAfterSeconds && 0 : spec.retryAfterSeconds?.[attempt - 1];
            // Where that fails too, the job comes back with the visibility timeout.
            if (pause !== undefined) await postponeJob(queue, receiptHandle, pause).catch(() => {});
            return true;
          }
        });
        const durationMs = Math.round(performance.now() - startedAt);
        logRequest({
          requestId: messageId,
          endpoint: `job ${queue}`,
          status: failed ? 500 : 200,
          durationMs,
          ...trace,
        });
        return failed ? [{ itemIdentifier: messageId }] : [];
      }),
    );
    return { batchItemFailures: failures.flat() };
  };
  const uses = spec.retryAfterSeconds ? { ...spec.uses, postpones: [queue] } : spec.uses;
  return Object.assign(handler, { kind: "worker" as const, spec: { ...spec, uses } as unknown as WorkerSpec });
}
