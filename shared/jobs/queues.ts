import { ChangeMessageVisibilityCommand, SendMessageBatchCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { Shape, Values } from "../http/params.ts";
import { sqs } from "./sqs.ts";

/** A kind of work: its name, the queue in which its jobs wait with those of other kinds, and a job's shape. */
export interface JobKind<S extends Shape = Shape> {
  /** By which a job on its way says what it is, and the log what was done. */
  name: string;
  /** The queue's name; the fleet has one queue, with a dead-letter queue, for each name that a worker declares. */
  queue: string;
  body: S;
}

/** Declares a kind of job, once, for the worker that does it and for those who send it. */
export const jobKind = <const S extends Shape>(queue: string, name: string, body: S): JobKind<S> => ({
  name,
  queue,
  body,
});

/** A job as it travels: its kind, and what is to be done. */
export const jobBody = <S extends Shape>({ name: kind }: JobKind<S>, job: Values<S>): string =>
  JSON.stringify({ kind, job });

/** The environment variable that holds a queue's URL: "push-jobs" -> "QUEUE_URL_PUSH_JOBS". */
export const queueUrlVariable = (queue: string) => `QUEUE_URL_${queue.toUpperCase().replaceAll("-", "_")}`;

function queueUrl(queue: string): string {
  const url = process.env[queueUrlVariable(queue)];
  if (!url) throw new Error(`The function's uses do not name the queue ${queue}`);
  return url;
}

/** Sends a job that is in its queue's form already, to be seen after `delaySeconds` (0 to 900). */
export async function enqueueBody(queue: string, body: string, delaySeconds = 0): Promise<void> {
  await sqs().send(
    new SendMessageCommand({ QueueUrl: queueUrl(queue), MessageBody: body, DelaySeconds: delaySeconds }),
  );
}

/** Sends one job, to be seen after `delaySeconds` (0 to 900). Resolves when SQS has it. */
export const enqueue = <S extends Shape>(kind: JobKind<S>, job: Values<S>, delaySeconds = 0): Promise<void> =>
  enqueueBody(kind.queue, jobBody(kind, job), delaySeconds);

/** Sends any number of jobs, ten to a request; throws when one of them was refused. */
export async function enqueueAll<S extends Shape>(kind: JobKind<S>, jobs: readonly Values<S>[]): Promise<void> {
  for (let start = 0; start < jobs.length; start += 10) {
    const Entries = jobs.slice(start, start + 10).map((job, index) => ({
      Id: String(index),
      MessageBody: jobBody(kind, job),
    }));
    const { Failed = [] } = await sqs().send(new SendMessageBatchCommand({ QueueUrl: queueUrl(kind.queue), Entries }));
    if (Failed.length > 0) throw new Error(`SQS refused ${Failed.length} jobs: ${Failed[0]?.Message}`);
  }
}

/** Has a job that is being worked on come back in `seconds` (0 to 43,200), unless it is done before. */
export async function postponeJob(queue: string, receiptHandle: string, seconds: number): Promise<void> {
  await sqs().send(
    new ChangeMessageVisibilityCommand({
      QueueUrl: queueUrl(queue),
      ReceiptHandle: receiptHandle,
      VisibilityTimeout: seconds,
    }),
  );
}
