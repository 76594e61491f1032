import { currentHost } from "../host.ts";
import { onNewEntries } from "../store/log/entry-cache.ts";
import type { LogReader } from "../store/log/tail.ts";

/** How a poll waits for events. */

/** What a poll does when there are no events. */
export interface WaitingStrategy {
  /** How long the poll is held. */
  holdMs: number;
  /** Whether it waits only for events in flight, whose numbers are reserved: the wake-up queue announces later ones. */
  forWritersOnly: boolean;
  /** Whether the wait ends with a heartbeat or with nothing. */
  heartbeat: boolean;
  /** Whether the first read goes to the log's end, so that a client that does not wait receives all of its own changes at once. */
  toEnd: boolean;
}

/** Holds the poll for `holdMs` and then returns a heartbeat. */
export const waitInFunction = (holdMs: number): WaitingStrategy => ({
  holdMs,
  forWritersOnly: false,
  heartbeat: true,
  toEnd: false,
});

/** Returns the existing events at once. */
export const notBlocking: WaitingStrategy = { holdMs: 0, forWritersOnly: false, heartbeat: false, toEnd: true };

/** Waits only for events in flight; the client waits for others at its wake-up queue. */
export const waitAtWakeUpQueue: WaitingStrategy = { holdMs: 250, forWritersOnly: true, heartbeat: false, toEnd: false };

/** The pause after a read that met reserved numbers without entries. */
const inFlightPauseMs = 25;

/** A function that ends the newest poll of each queue in this process. */
const newest = new Map<string, () => void>();

/**
 * One poll's wait. On the one-machine host and in the container many polls share a process: a change wakes them at once, and a
 * second poll of a queue ends the first. A Lambda function, alone in its process, reads the log at intervals.
 */
export class Waiting {
  /** Whether a newer poll of the same queue has replaced this one. */
  ended = false;
  readonly #strategy: WaitingStrategy;
  readonly #until: number;
  // The log may grow between two pauses: the next pause then ends at once.
  #grown = false;
  #wake = () => {};
  readonly #stop: () => void;

  constructor(queueId: string, strategy: WaitingStrategy) {
    this.#strategy = strategy;
    this.#until = Date.now() + strategy.holdMs;
    const end = () => {
      this.ended = true;
      this.#wake();
    };
    const stopListening = onNewEntries(() => {
      this.#grown = true;
      this.#wake();
    });
    this.#stop = () => {
      stopListening();
      if (newest.get(queueId) === end) newest.delete(queueId);
    };
    newest.get(queueId)?.();
    newest.set(queueId, end);
  }

  /** Whether a poll that found nothing should stop. It never stops at a gap in front of existing entries. */
  isOver({ isBlocked: blocked, expectsMore: expecting }: LogReader): boolean {
    if (blocked) return false;
    return Date.now() >= this.#until || (this.#strategy.forWritersOnly && !expecting);
  }

  /** Resolves when the next read is due, when this process writes to the log, or when a newer poll replaces this one. */
  async pause({ expectsMore: expecting }: LogReader, looks: number): Promise<void> {
    const interval = expecting ? inFlightPauseMs : currentHost().pauseBetweenReadsMs(looks);
    const left = this.#until - Date.now();
    const ms = Math.max(1, left > 0 ? Math.min(left, interval) : interval);
    if (!this.#grown && !this.ended)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#grown = false;
  }

  done(): void {
    this.#stop();
  }
}
