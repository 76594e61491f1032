import { EventEmitter } from "node:events";

/** Lets receivers wait for messages in a queue. */
export class QueueWaiters {
  readonly #queues = new EventEmitter().setMaxListeners(0);

  /** Wakes the receivers that wait for this queue, so that they check it again. */
  wake(queue: string): void {
    this.#queues.emit(queue);
  }

  /** Resolves when the queue is woken, at `until` (UNIX milliseconds) or when `disconnected` aborts, whichever is first. */
  wait(queue: string, until: number, disconnected: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#queues.off(queue, done);
        disconnected.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, until - Date.now()));
      this.#queues.on(queue, done);
      disconnected.addEventListener("abort", done);
      if (disconnected.aborted) done();
    });
  }
}
