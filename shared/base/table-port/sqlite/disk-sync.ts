import { closeSync, fdatasync, openSync } from "node:fs";
import { LogMark } from "./log-mark.ts";

/**
 * Syncs the log of a table in use to the disk for all who wait, off the event loop: whoever asks while a sync runs is served by the
 * next one, so that many writers share it.
 */
export class DiskSync {
  readonly #fd: number;
  readonly #mark: LogMark;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  /** After a failure, a later sync would succeed without what was lost. */
  #failure: Error | undefined;

  constructor(file: string) {
    // Windows syncs only what is opened for writing.
    this.#fd = openSync(`${file}-wal`, "r+");
    this.#mark = new LogMark(file);
  }

  /** Resolves when everything that was written to the table before this call is on the disk. */
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
      if (this.#failure) return void reject(this.#failure);
      const mark = this.#mark.current();
      fdatasync(this.#fd, (error) => {
        if (error)
          this.#failure = Object.assign(new Error(`The disk has lost writes (${error.message}): restart the host`), {
            name: "InternalServerError",
          });
        if (this.#failure) return void reject(this.#failure);
        this.#mark.note(mark);
        resolve();
      });
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
    this.#mark.close();
  }
}
