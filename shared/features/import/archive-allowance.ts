import { posix } from "node:path";

/** An archive that cannot be imported; the message says why. */
export class ArchiveError extends Error {
  override name = "ArchiveError";
}

/** An archive of texts unpacks to about ten times its size. */
const maxRatio = 100;
const alwaysAllowedBytes = 100 * 1024 * 1024;
/** A file a day of each of a thousand channels for three years. */
const maxEntries = 1_000_000;
/** An exported day without messages has `[]`. */
const maxEmptyFiles = 1000;
const maxBytesPerName = 1024;
const maxNameBytes = 128 * 1024 * 1024;
/** The longest paths are those of uploads, `uploads/2/ab/cd/name`, in a folder or two around the export. */
const maxDepth = 16;

/** How much an archive may still have. It is spent on the list of its entries, before any is unpacked. */
export class Allowance {
  #bytes: number;
  #entries = 0;
  #emptyFiles = 0;
  #nameBytes = 0;
  #unpacked = 0;
  readonly #maxBytes: number;

  /** `maxBytes`: what an archive may unpack to, however large it is. */
  constructor(archiveBytes: number, maxBytes = Number.POSITIVE_INFINITY) {
    this.#bytes = Math.max(alwaysAllowedBytes, archiveBytes * maxRatio);
    this.#maxBytes = maxBytes;
  }

  /** `count`: as many entries as a directory states, or one. */
  takeEntries(count: number): void {
    this.#entries += count;
    if (this.#entries > maxEntries)
      throw new ArchiveError(
        `The archive has more than ${maxEntries.toLocaleString("en")} entries, which no export has`,
      );
  }

  /** Of an entry: its name, and the bytes that it unpacks to. */
  take(name: string, bytes: number): void {
    const bytesOfName = Buffer.byteLength(name);
    if (bytesOfName > maxBytesPerName)
      throw new ArchiveError(
        `The path ${name.slice(0, 200)}… has more than ${maxBytesPerName.toLocaleString("en")} bytes`,
      );
    this.#nameBytes += bytesOfName;
    if (this.#nameBytes > maxNameBytes)
      throw new ArchiveError(`The names of the archive's files have more than ${maxNameBytes / 1024 / 1024} MB`);
    if (name.split("/", maxDepth + 2).length > maxDepth + 1)
      throw new ArchiveError(`The path ${name.slice(0, 200)} has more than ${maxDepth} folders, which no export has`);
    if (bytes === 0 && !name.endsWith("/") && ++this.#emptyFiles > maxEmptyFiles)
      throw new ArchiveError(
        `The archive has more than ${maxEmptyFiles.toLocaleString("en")} empty files, which no export has`,
      );
    this.#bytes -= bytes;
    this.#unpacked += bytes;
    if (this.#unpacked > this.#maxBytes)
      throw new ArchiveError(
        `The archive unpacks to more than ${this.#maxBytes / 1024 ** 3} GB, which only npm run import can import`,
      );
    if (this.#bytes < 0)
      throw new ArchiveError(`The archive unpacks to more than ${maxRatio} times its size, which no export does`);
  }
}

/** The paths of an archive's files, each of which may come once, and none of which may be a folder too. */
export class EntryPaths {
  readonly #files = new Set<string>();
  readonly #folders = new Set<string>();

  add(name: string): void {
    const path = posix.normalize(name).replace(/^\.?\/|\/$/g, "");
    const isFolder = name.endsWith("/") || path === "" || path === ".";
    if (!isFolder && this.#files.has(path)) throw new ArchiveError(`${name} exists twice in the archive`);
    if (!isFolder) this.#files.add(path);
    for (let folder = isFolder ? path : parentOf(path); folder !== ""; folder = parentOf(folder)) {
      if (this.#folders.has(folder)) break;
      this.#folders.add(folder);
    }
  }

  /** Throws for a path that is both. To be called when all have been added. */
  check(): void {
    for (const path of this.#files)
      if (this.#folders.has(path)) throw new ArchiveError(`${path} is both a file and a folder in the archive`);
  }
}

const parentOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf("/")));
