import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import { batchesOf } from "../../base/batches.ts";
import { declaredVariable } from "../../base/environment.ts";
import type { Shape, Values } from "../../base/schema/params.ts";
import { sqs } from "./sqs.ts";

/** A kind of job. Jobs of several kinds may share a queue. */
export interface JobKind<S extends Shape = Shape> {
  /** Identifies the kind in a queued job and in logs. */
  name: string;
  /** The queue's name; the fleet has one queue, with a dead-letter queue, for each name that a worker declares. */
  queue: string;
  body: S;
}

/** Declares a kind of job, for the worker that handles it and the functions that send it. */
export const jobKind = <const S extends Shape>(queue: string, name: string, body: S): JobKind<S> => ({
  name,
  queue,
  body,
});

export const jobBody = <S extends Shape>({ name: kind }: JobKind<S>, job: Values<S>): string =>
  JSON.stringify({ kind, job });

/** The environment variable that holds a queue's URL: "push-jobs" -> "QUEUE_URL_PUSH_JOBS". */
export const queueUrlVariable = (queue: string) => `QUEUE_URL_${queue.toUpperCase().replaceAll("-", "_")}`;

const queueUrl = (queue: string) => declaredVariable(queueUrlVariable(queue));

/** Sends a serialized job, visible after `delaySeconds` (0 to 900). */
export async function enqueueBody(queue: string, body: string, delaySeconds = 0): Promise<void> {
  await sqs().send(
    new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: body, DelaySeconds: delaySeconds }),
  );
}

/** Sends one job, visible after `delaySeconds` (0 to 900). Resolves when SQS has stored it. */
export const enqueue = <S extends Shape>(kind: JobKind<S>, job: Values<S>, delaySeconds = 0): Promise<void> =>
  enqueueBody(kind.queue, jobBody(kind, job), delaySeconds);

/** SQS's limit for one call. */
const maxBatchJobs = 10;

/** Sends any number of jobs, in batches, visible after `DelaySeconds` (0 to 900); throws when one of them was refused. */
export async function enqueueAll<S extends Shape>(
  kind: JobKind<S>,
  jobs: readonly Values<S>[],
  DelaySeconds = 0,
): Promise<void> {
  const sendBatch = async (batch: readonly Values<S>[]) => {
    const Entries = batch.map((job, index) => ({ Id: String(index), MessageBody: jobBody(kind, job), DelaySeconds }));
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl: queueUrl(kind.queue), Entries }));
    if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} jobs: ${Failed[0]?.Message}`);
  };
  await Promise.all(batchesOf(jobs, maxBatchJobs).map(sendBatch));
}

/** Makes a job in progress visible again in `seconds` (0 to 43,200), unless it is completed before. */
export async function postponeJob(queue: string, receiptHandle: string, seconds: number): Promise<void> {
  await sqs().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queueUrl(queue),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  );
}
