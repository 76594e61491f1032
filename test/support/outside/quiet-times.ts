import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";

/** Compares the times of one person's requests during a burst of another's with those of the same requests while it is quiet. */

const maxRatio = 5;
/** What the process that makes the burst, and other test files, take of the machine. A fault takes seconds. */
const slackMs = 250;

const median = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] as number;

export class QuietTimes {
  readonly #request: () => Promise<unknown>;
  readonly #quietMs: number;

  private constructor(request: () => Promise<unknown>, quietMs: number) {
    this.#request = request;
    this.#quietMs = quietMs;
  }

  /** Measures how long a request takes while it is quiet. */
  static async measure(request: () => Promise<unknown>): Promise<QuietTimes> {
    const times: number[] = [];
    for (let index = 0; index < 40; index++) times.push(await durationOf(request));
    return new QuietTimes(request, median(times.slice(20)));
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
    expect(median(times)).toBeLessThan(maxRatio * this.#quietMs + slackMs);
    return outcome;
  }
}

async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
