import { onGrowth } from "../store/log-memory.ts";

/**
 * Polls that wait in this process. Several share one only on the one-machine host and in the container: there a change
 * wakes them at once, and a second poll ends the first. A function that is alone looks again in intervals.
 */

interface Waiting {
  /** Whether another poll of the same queue has come. */
  ended: boolean;
  /** Resolves after `ms`, when the log has grown, or when another poll has come. */
  pause(ms: number): Promise<void>;
  done(): void;
}

const newest = new Map<string, () => void>();

/** Begins the wait of a queue's poll and ends that of an earlier one. */
export function beginWaiting(queueId: string): Waiting {
  let wake = () => {};
  const end = () => {
    waiting.ended = true;
    wake();
  };
  // The log may grow between two pauses: then the next one is none.
  let grown = false;
  const stopListening = onGrowth(() => {
    grown = true;
    wake();
  });
  const waiting: Waiting = {
    ended: false,
    async pause(ms) {
      if (!grown && !waiting.ended)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, ms);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      grown = false;
    },
    done() {
      stopListening();
      if (newest.get(queueId) === end) newest.delete(queueId);
    },
  };
  newest.get(queueId)?.();
  newest.set(queueId, end);
  return waiting;
}
