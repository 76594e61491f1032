import { createHash } from "node:crypto";
import {
  createReadStream,
  createWriteStream,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { pipeline } from "node:stream/promises";
import { extract as extractTar, list } from "tar";
import { type Entry, open, validateFileName, type ZipFile } from "yauzl";

/** Archives of other chats, opened as folders. Whoever made one is not trusted: not its paths, sizes or contents. */

/** An archive that cannot be imported; the message says why. */
export class ArchiveError extends Error {
  override name = "ArchiveError";
}

export interface Archive {
  folder: string;
  /** Removes what was unpacked. */
  close(): void;
}

/** An archive of texts unpacks to about ten times its size. */
const maxRatio = 100;
const alwaysAllowedBytes = 100 * 1024 * 1024;
const maxEntries = 2_000_000;

/**
 * Opens a folder, a `.zip` or a `.tar.gz`. The latter are unpacked into a temporary folder, because messages are read in the
 * order of their days and not of the archive; throws for paths that lead out of it, and for archives that unpack to far more
 * than their size.
 */
export async function openArchive(path: string): Promise<Archive> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new ArchiveError(`There is no ${path}`);
  if (stats.isDirectory()) return { folder: rootOf(path), close: () => {} };
  const unpack = /\.zip$/i.test(path) ? unzip : /\.(tar\.gz|tgz)$/i.test(path) ? untar : undefined;
  if (!unpack) throw new ArchiveError(`${basename(path)} is neither a folder nor a .zip nor a .tar.gz`);
  const folder = mkdtempSync(join(tmpdir(), "skein-import-"));
  const close = () => rmSync(folder, { recursive: true, force: true });
  try {
    await unpack(path, folder, new Allowance(Math.max(alwaysAllowedBytes, stats.size * maxRatio)));
    return { folder: rootOf(folder), close };
  } catch (error) {
    close();
    throw error instanceof ArchiveError ? error : new ArchiveError(`${basename(path)}: ${(error as Error).message}`);
  }
}

/** How much an archive may still unpack to. */
class Allowance {
  #bytes: number;
  #entries = 0;
  constructor(bytes: number) {
    this.#bytes = bytes;
  }
  take(bytes: number): void {
    this.#bytes -= bytes;
    this.#entries++;
    if (this.#bytes < 0 || this.#entries > maxEntries)
      throw new ArchiveError(`The archive unpacks to more than ${maxRatio} times its size, which no export does`);
  }
}

async function unzip(path: string, folder: string, allowance: Allowance): Promise<void> {
  // Slack does not mark its names as UTF-8, which they are.
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    open(path, { lazyEntries: true, decodeStrings: false }, (error, opened) =>
      error ? reject(error) : resolve(opened),
    );
  });
  try {
    await new Promise<void>((resolve, reject) => {
      zip.on("error", reject);
      zip.on("end", resolve);
      zip.on("entry", (entry: Entry) => {
        unzipEntry(zip, entry, folder, allowance).then(() => zip.readEntry(), reject);
      });
      zip.readEntry();
    });
  } finally {
    zip.close();
  }
}

async function unzipEntry(zip: ZipFile, entry: Entry, folder: string, allowance: Allowance): Promise<void> {
  const name = nameOf(entry.fileName as string | Buffer);
  const problem = validateFileName(name);
  const target = join(folder, name);
  if (problem || !target.startsWith(folder + sep)) throw new ArchiveError(`The path ${name} leads out of the archive`);
  allowance.take(entry.uncompressedSize);
  if (name.endsWith("/")) return;
  mkdirSync(dirname(target), { recursive: true });
  const content = await new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
  });
  // Fails when there are more bytes than the entry states.
  await pipeline(content, createWriteStream(target, { flags: "wx" }));
}

function nameOf(fileName: string | Buffer): string {
  if (typeof fileName === "string") return fileName;
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fileName);
  } catch {
    throw new ArchiveError(`The file name ${fileName.toString("latin1")} is not UTF-8`);
  }
}

async function untar(path: string, folder: string, allowance: Allowance): Promise<void> {
  // First without writing anything: the headers state the sizes.
  const file = createReadStream(path);
  const reader = list({
    strict: true,
    onReadEntry: (entry) => {
      try {
        if (entry.path.split("/").includes("..") || entry.path.startsWith("/"))
          throw new ArchiveError(`The path ${entry.path} leads out of the archive`);
        allowance.take(entry.size);
      } catch (error) {
        file.destroy(error as Error);
      }
    },
  });
  await new Promise<void>((resolve, reject) => {
    file.on("error", reject);
    reader.on("error", reject);
    reader.on("end", resolve);
    file.pipe(reader);
  });
  const kinds = new Set(["File", "OldFile", "ContiguousFile", "Directory", "GNUDumpDir"]);
  await extractTar({
    ...{ file: path, cwd: folder, strict: true },
    filter: (_, entry) => "type" in entry && kinds.has(entry.type),
  });
}

/** Where the export begins: archives often contain one folder with everything in it. */
function rootOf(folder: string): string {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isClutter(name));
  const [only] = entries;
  return entries.length === 1 && only?.isDirectory() ? join(folder, only.name) : folder;
}

/** What file managers leave behind. */
const isClutter = (name: string) => name.startsWith(".") || name === "__MACOSX";

/** The names of the folders and files in a folder; links are left out, because they may lead anywhere. */
export function listFolder(folder: string): { folders: string[]; files: string[] } {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isClutter(name));
  const names = (kept: typeof entries) => kept.map(({ name }) => name).sort();
  return {
    folders: names(entries.filter((entry) => entry.isDirectory())),
    files: names(entries.filter((entry) => entry.isFile())),
  };
}

/** More than any file of an export has, and little enough to be read at once. */
export const maxJsonBytes = 64 * 1024 * 1024;

/** The JSON of a file; the error names the file. */
export function readJson(folder: string, name: string): unknown {
  const path = join(folder, name);
  if (statSync(path).size > maxJsonBytes)
    throw new ArchiveError(`${name} has more than ${maxJsonBytes / 1024 / 1024} MB, which no file of an export has`);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(path)));
  } catch (error) {
    throw new ArchiveError(`${name} is not JSON in UTF-8 (${(error as Error).message})`);
  }
}

/** Identifies an archive's contents, however it is packed: the names and sizes of its files, and those in the root entirely. */
export function fingerprintOf(folder: string): string {
  const hash = createHash("sha256");
  const add = (subfolder: string) => {
    const { folders, files } = listFolder(join(folder, subfolder));
    for (const name of files) {
      const path = join(folder, subfolder, name);
      hash.update(`${subfolder}/${name}\n${statSync(path).size}\n`);
      if (subfolder === "" && statSync(path).size <= maxJsonBytes) hash.update(readFileSync(path));
    }
    for (const name of folders) add(join(subfolder, name));
  };
  add("");
  return hash.digest("hex");
}
