import { randomUUID } from "node:crypto";
import { account, type Json } from "../protocol.ts";
import type { QueueStore } from "../sqs/store.ts";
import type { Schedule, ScheduleStore } from "./store.ts";

export const scheduleArn = ({ region, group, name }: Pick<Schedule, "region" | "group" | "name">) =>
  `arn:aws:scheduler:${region}:${account}:schedule/${group}/${name}`;

/** Runs a function, by its name, with an event, and answers for what becomes of it. */
export type Invoke = (functionName: string, event: unknown) => void;

/** One delivery of a schedule's input to its target. */
interface Delivery {
  scheduleArn: string;
  target: Json;
  input: string;
  failures: number;
  firedAt: number;
}

// A timer does not see that the machine slept or that the clock was set; looking this often bounds what that costs.
const longestSleepMs = 30_000;
const firstRetryMs = 1000;
const longestRetryMs = 60_000;

/** Fires schedules when their time has come, at once those whose time came while nothing ran. */
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

  /** Fires what is due and sleeps until the next time; called again whenever a schedule has changed. */
  look(): void {
    if (this.#stopped) return;
    clearTimeout(this.#timer);
    this.#fireDue();
    const next = this.#schedules.nextAt();
    const sleep = Math.min(longestSleepMs, (next ?? Number.POSITIVE_INFINITY) - Date.now());
    this.#timer = setTimeout(() => this.look(), Math.max(0, sleep));
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

  // The message, and the schedule's removal or next time, are one commit: a kill before it fires the schedule again at
  // the next start with no message sent, a kill after it finds the message in its queue and the schedule gone.
  #attempt(work: () => string | undefined): void {
    const queue = this.#queues.database.transaction(work);
    if (queue) this.#queues.wake(queue);
  }

  /** Fires once, also when several times of a rate were missed. */
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

  /** Runs the target's function with the input, or puts it into the target's queue and returns the queue's name; without the queue, tries again later or gives up. */
  #deliver(delivery: Delivery, now: number): string | undefined {
    const { target, input, firedAt } = delivery;
    if (isFunction(target.Arn)) {
      // After the commit: a kill before it costs one run, and whoever starts again runs all that recurs.
      setImmediate(() => this.#invoke(nameOf(target.Arn), JSON.parse(input)));
      return undefined;
    }
    const queue = this.#queues.findQueue(nameOf(target.Arn));
    if (queue) {
      this.#queues.append(queue, { body: input });
      return queue.name;
    }
    const { MaximumRetryAttempts: attempts = 185, MaximumEventAgeInSeconds: age = 86_400 } = target.RetryPolicy ?? {};
    const failures = delivery.failures + 1;
    const nextAt = now + Math.min(longestRetryMs, firstRetryMs * 2 ** (failures - 1));
    const exhausted =
      failures > attempts
        ? "MaximumRetryAttempts"
        : nextAt - firedAt > age * 1000
          ? "MaximumEventAgeInSeconds"
          : undefined;
    if (!exhausted) {
      this.#schedules.putRetry({ ...delivery, failures, nextAt });
      return undefined;
    }
    return this.#bury(delivery, failures - 1, exhausted);
  }

  #bury({ scheduleArn, target, input }: Delivery, retries: number, exhausted: string): string | undefined {
    const grave = target.DeadLetterConfig?.Arn && this.#queues.findQueue(nameOf(target.DeadLetterConfig.Arn));
    console.error(
      JSON.stringify({ schedule: scheduleArn, target: target.Arn, error: "The queue does not exist", exhausted }),
    );
    if (!grave) return undefined;
    const text = (StringValue: string) => ({ DataType: "String", StringValue });
    this.#queues.append(grave, {
      body: input,
      attributes: {
        ERROR_CODE: text("AWS.SimpleQueueService.NonExistentQueue"),
        ERROR_MESSAGE: text("The specified queue does not exist."),
        EXHAUSTED_RETRY_CONDITION: text(exhausted),
        RETRY_ATTEMPTS: text(String(retries)),
        SCHEDULE_ARN: text(scheduleArn),
        TARGET_ARN: text(target.Arn),
      },
    });
    return grave.name;
  }
}

const isFunction = (arn: string) => String(arn).split(":")[2] === "lambda";
const nameOf = (arn: string) => String(arn).split(":").at(-1) ?? "";
