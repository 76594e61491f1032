import { currentHost } from "../../base/host.ts";
import { onNewEntries } from "../../store/log/entry-cache.ts";
import type { LogReader } from "../../store/log/reader.ts";

/** What a poll does when there are no events. */
export interface WaitingStrategy {
  /** How long the poll is held. */
  holdMs: number;
  /**
   * Whether the poll waits only for events in flight (with reserved sequence numbers): the wake-up queue announces later ones.
   */
  inFlightOnly: boolean;
  /** Whether the wait ends with a heartbeat or with nothing. */
  heartbeat: boolean;
  /**
   * Whether the first read goes to the log's end, so that a client that does not wait receives all of its own changes at once.
   */
  toEnd: boolean;
}

/** Holds the poll for `holdMs` and then returns a heartbeat. */
export const waitInFunction = (holdMs: number): WaitingStrategy => ({
  holdMs,
  inFlightOnly: false,
  heartbeat: true,
  toEnd: false,
});

/** Returns the existing events at once. */
export const returnImmediately: WaitingStrategy = { holdMs: 0, inFlightOnly: false, heartbeat: false, toEnd: true };

/** Waits only for events in flight; the client waits for others at its wake-up queue. */
export const waitAtWakeUpQueue: WaitingStrategy = { holdMs: 250, inFlightOnly: true, heartbeat: false, toEnd: false };

/** The pause after a read that found reserved sequence numbers without entries. */
const inFlightPauseMs = 25;

/** For each queue, a function that ends its newest poll in this process. */
const endNewestPoll = new Map<string, () => void>();

/**
 * One poll's wait. On the one-machine host and in the container many polls share a process: a change wakes all of them at once,
 * and a second poll of a queue ends the first. A Lambda function, alone in its process, reads the log at intervals.
 */
export class PollWait {
  /** Whether a newer poll of the same queue has replaced this one. */
  ended = false;
  readonly #strategy: WaitingStrategy;
  readonly #until: number;
  /** Whether the log has grown since the last pause. The next pause then ends at once. */
  #hasGrown = false;
  #wake = () => {};
  readonly #close: () => void;

  constructor(queueId: string, strategy: WaitingStrategy) {
    this.#strategy = strategy;
    this.#until = Date.now() + strategy.holdMs;
    const end = () => {
      this.ended = true;
      this.#wake();
    };
    const stopListening = onNewEntries(() => {
      this.#hasGrown = true;
      this.#wake();
    });
    this.#close = () => {
      stopListening();
      if (endNewestPoll.get(queueId) === end) endNewestPoll.delete(queueId);
    };
    endNewestPoll.get(queueId)?.();
    endNewestPoll.set(queueId, end);
  }

  /** Whether a poll that found nothing should stop. A poll never stops at a gap in front of existing entries. */
  isOver({ isBlocked, expectsMore }: LogReader): boolean {
    if (isBlocked) return false;
    return Date.now() >= this.#until || (this.#strategy.inFlightOnly && !expectsMore);
  }

  /** Resolves when the next read is due, when this process writes to the log, or when a newer poll replaces this one. */
  async pause({ expectsMore }: LogReader, readCount: number): Promise<void> {
    const intervalMs = expectsMore ? inFlightPauseMs : currentHost().pauseBetweenReadsMs(readCount);
    const remainingMs = this.#until - Date.now();
    const pauseMs = Math.max(1, remainingMs > 0 ? Math.min(remainingMs, intervalMs) : intervalMs);
    if (!this.#hasGrown && !this.ended)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    this.#hasGrown = false;
  }

  close(): void {
    this.#close();
  }
}
