import { closeSync, createReadStream, createWriteStream, mkdirSync, openSync, readSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { inflateRawSync } from "node:zlib";
import { type Entry, fromRandomAccessReader, RandomAccessReader, validateFileName, type ZipFile } from "yauzl";
import { Allowance, ArchiveError, EntryPaths } from "./archive-allowance.ts";

/**
 * Unpacks a zip of `archiveBytes` into an empty folder; reads its whole directory before it writes anything. Returns the paths of
 * links, which it leaves out.
 */
export async function unzip(path: string, folder: string, archiveBytes: number, maxBytes?: number): Promise<string[]> {
  const file = new BlockReader(path);
  try {
    const allowance = new Allowance(archiveBytes, maxBytes);
    const directory = await openZip(file, archiveBytes);
    allowance.takeEntries(directory.entryCount);
    const paths = new EntryPaths();
    const links: string[] = [];
    await eachEntry(directory, async (entry) => {
      const name = nameOf(entry);
      if (validateFileName(name) || !join(folder, name).startsWith(folder + sep))
        throw new ArchiveError(`The path ${name} leads out of the archive`);
      allowance.take(name, entry.uncompressedSize);
      paths.add(name);
      if (isLink(entry)) links.push(name);
    });
    paths.check();
    const zip = await openZip(file, archiveBytes);
    const folders = new Set<string>();
    await eachEntry(zip, async (entry) => {
      if (!isLink(entry)) await unzipEntry(zip, file, entry, folder, folders);
    });
    return links;
  } finally {
    file.end();
  }
}

/** The upper half of the attributes is the file's mode in Unix. */
const isLink = ({ externalFileAttributes }: Entry) => ((externalFileAttributes >>> 16) & 0o170000) === 0o120000;

const blockBytes = 256 * 1024;

interface Block {
  bytes: Buffer;
  start: number;
  length: number;
}

/** Reads a file in blocks: a directory of a million entries is two million reads of some bytes, one after the other. */
class BlockReader extends RandomAccessReader {
  readonly path: string;
  readonly #file: number;
  /** One in the directory and one among the files; the block used last comes first. */
  readonly #blocks: Block[] = [1, 2].map(() => ({ bytes: Buffer.alloc(blockBytes), start: 0, length: 0 }));

  constructor(path: string) {
    super();
    this.path = path;
    this.#file = openSync(path, "r");
  }

  override _readStreamForRange = (start: number, end: number): Readable =>
    createReadStream(this.path, { start, end: end - 1 });

  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    try {
      this.readInto(buffer, offset, length, position);
    } catch (error) {
      callback(error as Error);
      return;
    }
    callback(null);
  }

  readInto(buffer: Buffer, offset: number, length: number, position: number): void {
    if (length > blockBytes) {
      if (readSync(this.#file, buffer, offset, length, position) < length) throw new Error("unexpected end");
      return;
    }
    const end = position + length;
    const has = (block: Block) => position >= block.start && end <= block.start + block.length;
    const [latest, other] = this.#blocks as [Block, Block];
    const block = has(latest) ? latest : other;
    if (block === other) this.#blocks.reverse();
    if (!has(block)) {
      block.start = position;
      block.length = readSync(this.#file, block.bytes, 0, blockBytes, position);
      if (block.length < length) throw new Error("unexpected end");
    }
    block.bytes.copy(buffer, offset, position - block.start, end - block.start);
  }

  end = (): void => closeSync(this.#file);
}

const openZip = (file: BlockReader, bytes: number) =>
  new Promise<ZipFile>((resolve, reject) => {
    // Slack does not mark its names as UTF-8, which they are.
    const options = { lazyEntries: true, decodeStrings: false, autoClose: false };
    fromRandomAccessReader(file, bytes, options, (error, opened) => (error ? reject(error) : resolve(opened)));
  });

/** Calls `run` with one entry after the other. */
const eachEntry = (zip: ZipFile, run: (entry: Entry) => Promise<void>) =>
  new Promise<void>((resolve, reject) => {
    zip.on("error", reject);
    zip.on("end", resolve);
    zip.on("entry", (entry: Entry) => {
      run(entry).then(() => zip.readEntry(), reject);
    });
    zip.readEntry();
  });

/** Up to this size, files are unpacked at once and not as streams, which take ten times as long for files of some lines. */
const maxAtOnceBytes = 1024 * 1024;

async function unzipEntry(
  zip: ZipFile,
  file: BlockReader,
  entry: Entry,
  folder: string,
  folders: Set<string>,
): Promise<void> {
  const name = nameOf(entry);
  if (name.endsWith("/")) return;
  const target = join(folder, name);
  const parent = dirname(target);
  if (!folders.has(parent)) {
    mkdirSync(parent, { recursive: true });
    folders.add(parent);
  }
  const isSmall = entry.compressedSize <= maxAtOnceBytes && entry.uncompressedSize <= maxAtOnceBytes;
  if (isSmall && !entry.isEncrypted() && (entry.compressionMethod === 0 || entry.compressionMethod === 8)) {
    writeFileSync(target, await contentOf(zip, file, entry), { flag: "wx" });
    return;
  }
  const content = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  // Fails when there are more bytes than the entry states.
  await pipeline(content, createWriteStream(target, { flags: "wx" }));
}

async function contentOf(zip: ZipFile, file: BlockReader, entry: Entry): Promise<Buffer> {
  const start = await new Promise<number>((resolve, reject) => {
    zip.readLocalFileHeader(entry, { minimal: true }, (error, header) =>
      error ? reject(error) : resolve(header.fileDataStart),
    );
  });
  const packed = Buffer.alloc(entry.compressedSize);
  file.readInto(packed, 0, packed.length, start);
  const content = entry.compressionMethod === 0 ? packed : inflated(packed, entry);
  if (content.length !== entry.uncompressedSize) throw falseSize(entry);
  return content;
}

function inflated(packed: Buffer, entry: Entry): Buffer {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.uncompressedSize) });
  } catch (error) {
    throw (error as { code?: string }).code === "ERR_BUFFER_TOO_LARGE" ? falseSize(entry) : error;
  }
}

const falseSize = (entry: Entry) =>
  new ArchiveError(`${nameOf(entry)} has too many bytes, or too few, for the size that is stated`);

function nameOf({ fileName }: Entry): string {
  const name = fileName as string | Buffer;
  if (typeof name === "string") return name;
  try {
    return decoder.decode(name);
  } catch {
    throw new ArchiveError(`The file name ${name.toString("latin1")} is not UTF-8`);
  }
}

const decoder = new TextDecoder("utf-8", { fatal: true });
