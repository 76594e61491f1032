import { closeSync, openSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { makeOwnFolder } from "../own-folder.ts";

const bufferBytes = 1024 * 1024;
const firstCapacity = 1024;

/**
 * Values with times, which are read in the order of these: in a temporary file, because all together may exceed memory. The file
 * has no name any more when it is written, so that nothing of it remains after the process.
 */
export class Spool<T> {
  readonly #file: number;
  #count = 0;
  /** For each value, its time and where it ends in the file. */
  #times = new Float64Array(firstCapacity);
  #ends = new Float64Array(firstCapacity);
  #buffer: Buffer[] = [];
  #bufferedBytes = 0;
  #bytes = 0;
  #order: Uint32Array | undefined;

  constructor() {
    const { path, remove } = makeOwnFolder();
    this.#file = openSync(join(path, "messages"), "wx+");
    remove();
    openFiles.register(this, this.#file);
  }

  add(time: number, value: T): void {
    const bytes = Buffer.from(JSON.stringify(value));
    if (this.#count === this.#times.length) {
      this.#times = larger(this.#times);
      this.#ends = larger(this.#ends);
    }
    this.#bytes += bytes.length;
    this.#times[this.#count] = time;
    this.#ends[this.#count] = this.#bytes;
    this.#count++;
    this.#buffer.push(bytes);
    this.#bufferedBytes += bytes.length;
    if (this.#bufferedBytes >= bufferBytes) this.#flush();
  }

  /** All values, from the first time to the last, and of the same time as they were added. Nothing is added after this. */
  *inOrder(): Generator<T> {
    this.#flush();
    const times = this.#times;
    this.#order ??= Uint32Array.from({ length: this.#count }, (_, index) => index).sort(
      (a, b) => (times[a] as number) - (times[b] as number) || a - b,
    );
    for (const index of this.#order) {
      const start = index === 0 ? 0 : (this.#ends[index - 1] as number);
      const bytes = Buffer.alloc((this.#ends[index] as number) - start);
      readSync(this.#file, bytes, 0, bytes.length, start);
      yield JSON.parse(bytes.toString()) as T;
    }
  }

  #flush(): void {
    const bytes = Buffer.concat(this.#buffer);
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#file, bytes, written, bytes.length - written, this.#bytes - bytes.length + written);
    [this.#buffer, this.#bufferedBytes] = [[], 0];
  }
}

function larger(numbers: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const copy = new Float64Array(numbers.length * 2);
  copy.set(numbers);
  return copy;
}

/** Closes the files of spools that nobody reads any more. */
const openFiles = new FinalizationRegistry<number>((file) => closeSync(file));
