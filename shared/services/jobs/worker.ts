import type { Context, SESEvent, SESEventRecord, SQSBatchResponse, SQSEvent, SQSRecord } from "aws-lambda";
import type { Service } from "../../base/limits.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import { type Shape, strictSchemaOf, type Values } from "../../base/schema/params.ts";
import { parseJson } from "../../base/schema/text.ts";
import type { Uses } from "../../base/uses.ts";
import { invocation } from "../../store/table/invocation.ts";
import { type JobKind, jobBody, postponeJob } from "./queues.ts";

export interface Delivery {
  /** 1 for the first attempt. */
  attempt: number;
  /** Whether a failure now sends the job to the dead-letter queue. */
  isLast: boolean;
}

/** A kind of job and its handler. */
// biome-ignore lint/suspicious/noExplicitAny: `run` takes only jobs of its own kind, so `Work` of different kinds has no other common type.
export interface Work<S extends Shape = any> {
  kind: JobKind<S>;
  run(job: Values<S>, delivery: Delivery): Promise<unknown>;
  /** Like the worker's, for jobs of this kind. */
  retryAfterSeconds?: readonly number[] | undefined;
}

export const handles = <const S extends Shape>(
  kind: JobKind<S>,
  run: Work<S>["run"],
  retryAfterSeconds?: readonly number[],
): Work<S> => ({ kind, run, retryAfterSeconds });

interface WorkerDeclaration {
  /** The queue's name. This declaration creates the queue. */
  queue: string;
  /** The attempts before a job moves to the dead-letter queue. */
  attempts: number;
  /**
   * Seconds after which a failed job becomes visible again: after the first attempt, the second and so on; the last value repeats.
   * When absent, or when the function died, the queue's visibility timeout applies.
   */
  retryAfterSeconds?: readonly number[];
  /** The function's time limit in seconds; the queue's visibility timeout follows from it. Default 30. */
  timeoutSeconds?: number;
  /** The function's minimum memory in MB, if that is more than the fleet's setting. */
  memoryMb?: number;
  /** The maximum number of jobs in one invocation. Default 10. */
  batchSize?: number;
  /** How many batches run at once on one machine. Default 5. On AWS, Lambda decides (see the setting `jobConcurrency`). */
  concurrency?: number;
  /** Deploys the worker only in fleets with one of these services. */
  serves?: readonly Service[];
  /** Deploys the worker only in fleets with this waiting strategy. */
  waiting?: "wake-up-queue";
  /**
   * On AWS there is no queue, which would cost money while it is empty: SES invokes the function with each email, from which this makes
   * the job. Lambda tries three times.
   */
  invokedBySes?: SesTrigger;
  uses: Uses;
}

// biome-ignore lint/suspicious/noExplicitAny: triggers of different kinds of job have no other common type.
interface SesTrigger<S extends Shape = any> {
  kind: JobKind<S>;
  jobOf(email: SESEventRecord["ses"]): Values<S>;
}

/** Declares the job that is made from an email. */
export const sesTrigger = <const S extends Shape>(kind: JobKind<S>, jobOf: SesTrigger<S>["jobOf"]): SesTrigger<S> => ({
  kind,
  jobOf,
});

export interface WorkerSpec extends WorkerDeclaration {
  /** The kinds of job in its queue, with their handlers. */
  works: readonly Work[];
}

/**
 * Thrown for a job that retries cannot complete: it becomes a dead letter without pauses, but is received as often as any other before.
 * The message goes into the log.
 */
export class HopelessJob extends Error {
  override name = "HopelessJob";
}

/**
 * A Lambda handler for the jobs of one queue that carries its declaration. Of a batch, only jobs whose handler throws are
 * retried.
 */
export function worker(declaration: WorkerDeclaration, ...works: readonly Work[]) {
  const { queue, attempts } = declaration;
  check(declaration, works);
  const byName = new Map(works.map((work) => [work.kind.name, work]));

  /** Runs a job, and returns whether it failed. */
  async function runJob({ messageId, body, receiptHandle, sentAt, attempt }: QueuedJob): Promise<boolean> {
    const waitedMs = Math.max(0, Date.now() - sentAt);
    const isLast = attempt >= attempts;
    let jobName = queue;
    let retryAfterSeconds: readonly number[] | undefined;
    const runAndReport = async () => {
      try {
        const { work, job } = parseJob(body, queue, byName);
        jobName = work.kind.name;
        retryAfterSeconds = work.retryAfterSeconds ?? declaration.retryAfterSeconds;
        await work.run(job, { attempt, isLast });
        return false;
      } catch (error) {
        const description = error instanceof HopelessJob ? `refused: ${error.message}` : describeError(error);
        console.error(JSON.stringify({ requestId: messageId, job: jobName, attempt, error: description }));
        // A hopeless job, and one after its last attempt, returns at once: SQS moves it to the dead-letter queue after the last.
        const pauseSeconds = error instanceof HopelessJob || isLast ? 0 : retryPauseSeconds(attempt, retryAfterSeconds);
        // If this call fails too, the job becomes visible again after the visibility timeout.
        if (receiptHandle !== undefined && pauseSeconds !== undefined)
          await postponeJob(queue, receiptHandle, pauseSeconds).catch(() => {});
        return true;
      }
    };
    return invocation(runAndReport, (failed) => ({
      requestId: messageId,
      endpoint: `job ${jobName}`,
      status: failed ? 500 : 200,
      waitedMs,
    }));
  }

  const handler = async (event: SQSEvent | SESEvent, _context?: Context): Promise<SQSBatchResponse> => {
    const failures = await Promise.all(
      event.Records.map(async (record) => {
        if ("ses" in record) {
          // An asynchronous invocation is repeated only if it throws.
          if (await runJob(jobFrom(record, declaration.invokedBySes))) throw new Error("The email was not handled");
          return [];
        }
        return (await runJob(queuedJob(record))) ? [{ itemIdentifier: record.messageId }] : [];
      }),
    );
    return { batchItemFailures: failures.flat() };
  };
  const spec: WorkerSpec = { ...declaration, works, uses: { ...declaration.uses, postpones: [queue] } };
  return Object.assign(handler, { kind: "worker" as const, spec });
}

/** A job as it comes from a queue; without a receipt handle from SES, which cannot be told when to try again. */
interface QueuedJob {
  messageId: string;
  body: string;
  receiptHandle?: string;
  sentAt: number;
  attempt: number;
}

const queuedJob = ({ messageId, body, receiptHandle, attributes }: SQSRecord): QueuedJob => ({
  ...{ messageId, body, receiptHandle },
  sentAt: Number(attributes.SentTimestamp),
  attempt: Number(attributes.ApproximateReceiveCount),
});

/** Lambda does not tell how often it has tried. */
function jobFrom({ ses }: SESEventRecord, trigger: SesTrigger | undefined): QueuedJob {
  if (!trigger) throw new Error("SES does not invoke this worker");
  return {
    messageId: ses.mail.messageId,
    body: jobBody(trigger.kind, trigger.jobOf(ses)),
    sentAt: Date.parse(ses.receipt.timestamp),
    attempt: 1,
  };
}

const retryPauseSeconds = (attempt: number, seconds: readonly number[] = []) => seconds[attempt - 1] ?? seconds.at(-1);

/** Throws for a kind of another queue and for a duplicate kind. */
function check({ queue }: WorkerDeclaration, works: readonly Work[]): void {
  const names = works.map(({ kind }) => kind.name);
  for (const { kind } of works)
    if (kind.queue !== queue)
      throw new Error(`The worker of ${queue} handles ${kind.name}, a kind of job of the queue ${kind.queue}`);
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  if (duplicate) throw new Error(`The worker of ${queue} handles ${duplicate} twice`);
}

/** Parses a message's body; throws HopelessJob when no handler or schema matches. */
function parseJob(body: string, queue: string, works: ReadonlyMap<string, Work>) {
  const { kind, job } = (parseJson(body) ?? {}) as { kind?: unknown; job?: unknown };
  const work = works.get(String(kind));
  if (!work) throw new HopelessJob(`No worker of the queue ${queue} handles jobs of this kind`);
  const parsed = strictSchemaOf(work.kind.body).safeParse(job);
  if (!parsed.success) throw new HopelessJob(`A job ${work.kind.name} does not match its schema`);
  return { work, job: parsed.data as Values<Shape> };
}
