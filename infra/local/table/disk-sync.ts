import { closeSync, fdatasync, openSync } from "node:fs";

/**
 * Syncs a file to the disk for all who wait, off the event loop: whoever asks while a sync runs is served by the next one, so that
 * many writers share it.
 */
export class DiskSync {
  readonly #fd: number;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(file: string) {
    // Windows syncs only what is opened for writing.
    this.#fd = openSync(file, "r+");
  }

  /** Resolves when everything that was written to the file before this call is on the disk. */
  done(): Promise<void> {
    if (!this.#running) return this.#start();
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.#start();
      });
    return this.#next;
  }

  #start(): Promise<void> {
    const sync = new Promise<void>((resolve, reject) => {
      fdatasync(this.#fd, (error) => (error ? reject(error) : resolve()));
    });
    this.#running = sync;
    sync
      .catch(() => {})
      .then(() => {
        if (this.#running === sync) this.#running = undefined;
      });
    return sync;
  }

  async close(): Promise<void> {
    while (this.#running ?? this.#next) await (this.#next ?? this.#running)?.catch(() => {});
    closeSync(this.#fd);
  }
}
