import { randomUUID } from "node:crypto";
import { account, type Json } from "../protocol.ts";
import type { QueueStore } from "../sqs/store.ts";
import type { Schedule, ScheduleStore } from "./store.ts";

export const scheduleArn = ({ region, group, name }: Pick<Schedule, "region" | "group" | "name">) =>
  `arn:aws:scheduler:${region}:${account}:schedule/${group}/${name}`;

/** Starts a function by its name with an event, without waiting for it; handles its errors. */
export type Invoke = (functionName: string, event: unknown) => void;

/** One delivery of a schedule's input to its target. */
interface Delivery {
  scheduleArn: string;
  target: Json;
  input: string;
  failures: number;
  firedAt: number;
}

// A timer does not notice that the machine was suspended or its clock set; this bounds the resulting delay.
const maxSleepMs = 30_000;
const firstRetryMs = 1000;
const maxRetryMs = 60_000;

/** Fires schedules when they are due, including those that became due while the host was down. */
export class ScheduleTimer {
  readonly #schedules: ScheduleStore;
  readonly #queues: QueueStore;
  readonly #invoke: Invoke;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  constructor(schedules: ScheduleStore, queues: QueueStore, invoke: Invoke = () => {}) {
    this.#schedules = schedules;
    this.#queues = queues;
    this.#invoke = invoke;
  }

  /** Fires what is due and sets a timer for the next schedule; called again whenever a schedule has changed. */
  tick(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#fireDue();
    const next = this.#schedules.nextAt();
    const sleep = Math.min(maxSleepMs, (next ?? Number.POSITIVE_INFINITY) - Date.now());
    this.#timer = setTimeout(() => this.tick(), Math.max(0, sleep));
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #fireDue(): void {
    const now = Date.now();
    for (const schedule of this.#schedules.listDue(now)) this.#attempt(() => this.#fire(schedule, now));
    for (const row of this.#schedules.listRetries(now)) {
      this.#attempt(() => {
        this.#schedules.deleteRetry(row.id);
        return this.#deliver(
          {
            scheduleArn: row.schedule_arn,
            target: JSON.parse(row.target),
            input: row.input,
            failures: row.failures,
            firedAt: row.fired_at,
          },
          now,
        );
      });
    }
  }

  // Sending the message and advancing the schedule are one transaction, so that a kill can neither lose nor repeat the
  // message.
  #attempt(work: () => string | undefined): void {
    const queue = this.#queues.database.transaction(work);
    if (queue) this.#queues.wake(queue);
  }

  /** Fires a schedule once, even if several times of a rate were missed. */
  #fire(schedule: Schedule, now: number): string | undefined {
    const { Target: target } = schedule.definition;
    const arn = scheduleArn(schedule);
    const scheduledTime = new Date(schedule.nextAt ?? now).toISOString().replace(/\.\d+Z$/, "Z");
    const input = String(target.Input ?? "{}")
      .replaceAll("<aws.scheduler.schedule-arn>", arn)
      .replaceAll("<aws.scheduler.scheduled-time>", scheduledTime)
      .replaceAll("<aws.scheduler.execution-id>", randomUUID())
      .replaceAll("<aws.scheduler.attempt-number>", "1");
    this.#schedules.advance(schedule, now);
    return this.#deliver({ scheduleArn: arn, target, input, failures: 0, firedAt: now }, now);
  }

  /**
   * Invokes the target function, or puts the input into the target queue and returns the queue's name. If the queue does not
   * exist, schedules a retry, or gives up once the retries are exhausted.
   */
  #deliver(delivery: Delivery, now: number): string | undefined {
    const { target, input, firedAt } = delivery;
    if (isFunction(target.Arn)) {
      // After the commit. A kill in between loses one run, but the next start runs all recurring work.
      setImmediate(() => this.#invoke(nameOf(target.Arn), JSON.parse(input)));
      return undefined;
    }
    const queue = this.#queues.findQueue(nameOf(target.Arn));
    if (queue) {
      this.#queues.append(queue, { body: input });
      return queue.name;
    }
    // The defaults are those of EventBridge Scheduler.
    const { MaximumRetryAttempts: maxRetries = 185, MaximumEventAgeInSeconds: maxAgeSeconds = 86_400 } =
      target.RetryPolicy ?? {};
    const failures = delivery.failures + 1;
    const nextAt = now + Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
    const exhausted =
      failures > maxRetries
        ? "MaximumRetryAttempts"
        : nextAt - firedAt > maxAgeSeconds * 1000
          ? "MaximumEventAgeInSeconds"
          : undefined;
    if (!exhausted) {
      this.#schedules.putRetry({ ...delivery, failures, nextAt });
      return undefined;
    }
    return this.#sendToDeadLetterQueue(delivery, failures - 1, exhausted);
  }

  #sendToDeadLetterQueue(
    { scheduleArn, target, input }: Delivery,
    retries: number,
    exhausted: string,
  ): string | undefined {
    const deadLetterQueue = target.DeadLetterConfig?.Arn && this.#queues.findQueue(nameOf(target.DeadLetterConfig.Arn));
    console.error(
      JSON.stringify({ schedule: scheduleArn, target: target.Arn, error: "The queue does not exist", exhausted }),
    );
    if (!deadLetterQueue) return undefined;
    const stringAttribute = (StringValue: string) => ({ DataType: "String", StringValue });
    this.#queues.append(deadLetterQueue, {
      body: input,
      attributes: {
        ERROR_CODE: stringAttribute("AWS.SimpleQueueService.NonExistentQueue"),
        ERROR_MESSAGE: stringAttribute("The specified queue does not exist."),
        EXHAUSTED_RETRY_CONDITION: stringAttribute(exhausted),
        RETRY_ATTEMPTS: stringAttribute(String(retries)),
        SCHEDULE_ARN: stringAttribute(scheduleArn),
        TARGET_ARN: stringAttribute(target.Arn),
      },
    });
    return deadLetterQueue.name;
  }
}

const isFunction = (arn: string) => String(arn).split(":")[2] === "lambda";
const nameOf = (arn: string) => String(arn).split(":").at(-1) ?? "";
