import { randomUUID } from "node:crypto";
import type { QueueStore } from "../sqs/store.ts";
import type { Schedule, ScheduleStore } from "./store.ts";

/** Starts a function by its name with an event, without waiting for it; handles its errors. */
export type Invoke = (functionName: string, event: unknown) => void;

// A timer does not notice that the machine was suspended or its clock set; this bounds the resulting delay.
const maxSleepMs = 30_000;

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
    for (const schedule of this.#schedules.listDue(now)) {
      // Sending the message and advancing the schedule are one transaction, so that a kill can neither lose nor repeat the
      // message.
      const queue = this.#queues.database.transaction(() => {
        this.#schedules.advance(schedule, now);
        return this.#deliver(schedule);
      });
      if (queue) this.#queues.wake(queue);
    }
  }

  /**
   * Invokes the target function, or puts the input into the target queue and returns the queue's name. A schedule fires once, even
   * if several times of a rate were missed.
   */
  #deliver({ name, definition: { Target: target } }: Schedule): string | undefined {
    const input = String(target.Input ?? "{}").replaceAll("<aws.scheduler.execution-id>", randomUUID());
    if (isFunction(target.Arn)) {
      // After the commit. A kill in between loses one run, but the next start runs all recurring work.
      setImmediate(() => this.#invoke(nameOf(target.Arn), JSON.parse(input)));
      return undefined;
    }
    const targetQueue = this.#queues.findQueue(nameOf(target.Arn));
    if (!targetQueue)
      console.error(JSON.stringify({ schedule: name, target: target.Arn, error: "The queue does not exist" }));
    const queue = targetQueue ?? this.#queues.findQueue(nameOf(target.DeadLetterConfig?.Arn));
    if (queue) this.#queues.append(queue, input);
    return queue?.name;
  }
}

const isFunction = (arn: string) => String(arn).split(":")[2] === "lambda";
const nameOf = (arn: string) => String(arn).split(":").at(-1) ?? "";
