import { EventEmitter } from "node:events";

/** Where receivers wait for a queue to have something for them. */
export class Arrivals {
  readonly #queues = new EventEmitter().setMaxListeners(0);

  /** Tells those who wait for a message in this queue to look again. */
  wake(queue: string): void {
    this.#queues.emit(queue);
  }

  /** Resolves when the queue is woken, at the latest at `until` (UNIX milliseconds) or when `gone` aborts. */
  next(queue: string, until: number, gone: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#queues.off(queue, done);
        gone.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, until - Date.now()));
      this.#queues.on(queue, done);
      gone.addEventListener("abort", done);
      if (gone.aborted) done();
    });
  }
}
