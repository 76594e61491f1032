import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";

/** Compares the times of one person's requests during a burst of another's with those of the same requests while it is quiet. */

const maxRatio = 5;

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

export class QuietTimes {
  readonly #request: () => Promise<unknown>;
  readonly #maxMs: number;

  private constructor(request: () => Promise<unknown>, maxMs: number) {
    this.#request = request;
    this.#maxMs = maxMs;
  }

  /**
   * Measures how long a request takes while it is quiet. `slackMs` is what the process that makes the burst, and other test files,
   * take of the machine: more where a burst goes on for long. A fault takes seconds.
   */
  static async measure(request: () => Promise<unknown>, slackMs = 100): Promise<QuietTimes> {
    const times: number[] = [];
    for (let index = 0; index < 40; index++) times.push(await durationOf(request));
    return new QuietTimes(request, maxRatio * median(times.slice(20)) + slackMs);
  }

  /** Makes the request again and again, until a burst is over; returns what came of it. */
  async expectDuring<T>(burst: () => Promise<T>): Promise<T> {
    const times: number[] = [];
    let isOver = false;
    const done = burst().finally(() => {
      isOver = true;
    });
    // At least ten, also if the burst is refused at once.
    while (!isOver || times.length < 10) {
      times.push(await durationOf(this.#request));
      await pause(50);
    }
    const outcome = await done;
    expect(median(times)).toBeLessThan(this.#maxMs);
    return outcome;
  }
}

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
