import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  writeSync,
} from "node:fs";

/**
 * Notes how much of SQLite's write-ahead log was on the disk when writes were last acknowledged. SQLite takes a log that has lost its
 * end for one that ended there, so that acknowledged writes would be missing without a word. The layouts of the log and of its index
 * are those of https://www.sqlite.org/walformat.html.
 */

/** A mark: the log's salts, which change whenever it begins anew, and its number of frames. */
const [saltBytes, markBytes] = [8, 12];
const [logHeaderBytes, frameHeaderBytes] = [32, 24];
/** The header of the index, of which there are two copies. */
const indexHeaderBytes = 48;

const markFile = (file: string) => `${file}-mark`;

export class LogMark {
  readonly #index: number;
  readonly #mark: number;
  #noted: Buffer | undefined;

  /** `file` is that of a table in use. */
  constructor(file: string) {
    this.#index = openSync(`${file}-shm`, "r");
    this.#mark = openSync(markFile(file), constants.O_RDWR | constants.O_CREAT);
  }

  /** How much the log has now; undefined while another process writes to it. */
  current(): Buffer | undefined {
    const headers = readAt(this.#index, 0, 2 * indexHeaderBytes);
    const header = headers.subarray(0, indexHeaderBytes);
    if (!header.equals(headers.subarray(indexHeaderBytes))) return undefined;
    return Buffer.concat([header.subarray(32, 32 + saltBytes), header.subarray(16, 20)]);
  }

  /** Notes that the disk has what the log had. It need not be on the disk itself: an older mark asks for less. */
  note(mark: Buffer | undefined): void {
    if (!mark || this.#noted?.equals(mark)) return;
    writeSync(this.#mark, mark, 0, markBytes, 0);
    this.#noted = mark;
  }

  /** Must be called before a process closes the table: the last one to do so removes the log. Another one notes its next write. */
  close(): void {
    ftruncateSync(this.#mark);
    closeSync(this.#mark);
    closeSync(this.#index);
  }
}

/** Throws if the log lacks what it had when the table was last in use; called before the table is opened. */
export function checkLog(file: string): void {
  const log = `${file}-wal`;
  if (!existsSync(markFile(file)) || !existsSync(log)) return;
  const mark = readFileSync(markFile(file));
  const fd = openSync(log, "r");
  try {
    const { size } = fstatSync(fd);
    const salts = mark.subarray(0, saltBytes);
    const hasSalts = (position: number) => readAt(fd, position, saltBytes).equals(salts);
    // What the log had when it began anew was copied into the table before. A process that uses the table may have it begin just now.
    const beganAnew = () => size >= logHeaderBytes && !hasSalts(16);
    if (mark.length < markBytes || beganAnew()) return;
    const frameBytes = frameHeaderBytes + readAt(fd, 8, 4).readUInt32BE();
    const frames = mark.readUInt32LE(saltBytes);
    const lastFrame = logHeaderBytes + (frames - 1) * frameBytes;
    const isWhole = frames === 0 || (size >= lastFrame + frameBytes && hasSalts(lastFrame + 8));
    if (!isWhole && !beganAnew())
      throw new Error(
        `the end of ${log} is missing, and with it acknowledged writes. Restore the folder from a backup; to go on without them, remove ${markFile(file)}`,
      );
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  readSync(fd, bytes, 0, length, position);
  return bytes;
}
