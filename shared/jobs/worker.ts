import type { Context, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { describeError } from "../describe-error.ts";
import { type Shape, strictSchemaOf, type Values } from "../http/params.ts";
import type { Service } from "../settings.ts";
import { logRequest, traced } from "../trace.ts";
import type { Uses } from "../uses.ts";
import { type JobKind, postponeJob } from "./queues.ts";

/** Tells a job what it must know of its own delivery. */
export interface Delivery {
  /** 1 at the first try. */
  attempt: number;
  /** Whether a failure now sends the job to the dead-letter queue. */
  isLast: boolean;
}

/** A kind of job and what does it. */
export interface Work<S extends Shape = any> {
  kind: JobKind<S>;
  run(job: Values<S>, delivery: Delivery): Promise<void>;
  /**
   * Seconds after which a job that failed comes back: after the first try, the second ... and the last of them from then
   * on. Absent, and for a function that died at work, it is the queue's visibility timeout.
   */
  retryAfterSeconds?: readonly number[] | undefined;
}

/** Says what does the jobs of a kind. */
export const does = <const S extends Shape>(
  kind: JobKind<S>,
  run: Work<S>["run"],
  retryAfterSeconds?: readonly number[],
): Work<S> => ({ kind, run, retryAfterSeconds });

interface WorkerDeclaration {
  /** Its queue exists because of this declaration. */
  queue: string;
  /** How often a job is tried before it goes to the dead-letter queue. */
  attempts: number;
  /** The function's time limit in seconds; the queue's visibility timeout follows from it. Default 30. */
  timeoutSeconds?: number;
  /** Memory in MB that the function must have, where the fleet's other functions have less. */
  memoryMb?: number;
  /** Jobs handed over at once. Default 10. */
  batchSize?: number;
  /** Functions running at once, 2 or more. Default 5. */
  concurrency?: number;
  /** EventBridge Scheduler sends a job of this kind, with nothing in it, at this rate. */
  recurring?: { rate: "1 minute" | "5 minutes" | "1 hour" | "1 day"; kind: JobKind<Record<never, never>> };
  /** The worker is there for these services alone: nothing polls its queue where none of them is set up. */
  serves?: readonly Service[];
  /** What the fleet must wait by for the worker to be there. */
  waiting?: "bell";
  uses: Uses;
}

export interface WorkerSpec extends WorkerDeclaration {
  /** The kinds of job that wait in its queue. */
  works: readonly Work[];
}

/** A job that nobody can do, however often it is tried. */
class Refused extends Error {
  override name = "Refused";
}

/** A Lambda handler for the jobs of one queue that carries its declaration; jobs that throw are retried, each alone. */
export function worker(declared: WorkerDeclaration, ...works: readonly Work[]) {
  const { queue, attempts } = declared;
  check(declared, works);
  const byName = new Map(works.map((work) => [work.kind.name, work]));

  async function perform(messageId: string, body: string, received: string, receiptHandle: string): Promise<boolean> {
    const attempt = Number(received);
    const isLast = attempt >= attempts;
    let named = queue;
    let retryAfterSeconds: readonly number[] | undefined;
    const startedAt = performance.now();
    const { result: failed, trace } = await traced(async () => {
      try {
        const { work, job } = read(body, queue, byName);
        named = work.kind.name;
        retryAfterSeconds = work.retryAfterSeconds;
        await work.run(job, { attempt, isLast });
        return false;
      } catch (error) {
        const told = error instanceof Refused ? `refused: ${error.message}` : describeError(error);
        console.error(JSON.stringify({ requestId: messageId, job: named, attempt, error: told }));
        // What is refused, and what was tried for the last time, comes back at once until it is among the dead letters.
        const pause = error instanceof Refused || isLast ? 0 : pauseAfter(attempt, retryAfterSeconds);
        // Where that fails too, the job comes back with the visibility timeout.
        if (pause !== undefined) await postponeJob(queue, receiptHandle, pause).catch(() => {});
        return true;
      }
    });
    const durationMs = Math.round(performance.now() - startedAt);
    logRequest({ requestId: messageId, endpoint: `job ${named}`, status: failed ? 500 : 200, durationMs, ...trace });
    return failed;
  }

  const handler = async (event: SQSEvent, _context?: Context): Promise<SQSBatchResponse> => {
    const failures = await Promise.all(
      event.Records.map(async ({ messageId, receiptHandle, body, attributes }) =>
        (await perform(messageId, body, attributes.ApproximateReceiveCount, receiptHandle))
          ? [{ itemIdentifier: messageId }]
          : [],
      ),
    );
    return { batchItemFailures: failures.flat() };
  };
  const spec: WorkerSpec = { ...declared, works, uses: { ...declared.uses, postpones: [queue] } };
  return Object.assign(handler, { kind: "worker" as const, spec });
}

const pauseAfter = (attempt: number, seconds: readonly number[] = []) => seconds[attempt - 1] ?? seconds.at(-1);

/** Refuses what could only fail later: a kind of another queue, a kind twice, a recurring job that nobody does. */
function check({ queue, recurring }: WorkerDeclaration, works: readonly Work[]): void {
  const names = works.map(({ kind }) => kind.name);
  for (const { kind } of works)
    if (kind.queue !== queue) throw new Error(`The worker of ${queue} does ${kind.name}, which waits in ${kind.queue}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice) throw new Error(`The worker of ${queue} does ${twice} twice`);
  if (recurring && !names.includes(recurring.kind.name))
    throw new Error(`The worker of ${queue} does not do ${recurring.kind.name}, which recurs`);
}

/** The work that a job's body names, and the job; refused when there is none, or the job is not of its shape. */
function read(body: string, queue: string, works: ReadonlyMap<string, Work>) {
  const { kind, job } = (parsed(body) ?? {}) as { kind?: unknown; job?: unknown };
  const work = works.get(String(kind));
  if (!work) throw new Refused(`Nobody does jobs of this kind in the queue ${queue}`);
  const read = strictSchemaOf(work.kind.body).safeParse(job);
  if (!read.success) throw new Refused(`A job ${work.kind.name} is not of its shape`);
  return { work, job: read.data as Values<Shape> };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
