import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { basename, join, sep } from "node:path";
import { limits } from "../../base/limits.ts";
import { ArchiveError } from "./archive-allowance.ts";
import { makeOwnFolder } from "./own-folder.ts";
import { untar } from "./untar.ts";
import { unzip } from "./unzip.ts";

/** Archives of other chats, opened as folders. Whoever made one is not trusted: not its paths, sizes or contents. */

export { ArchiveError };

export interface Archive {
  folder: string;
  /** The paths of links, which are not unpacked, because they may lead anywhere. */
  links: readonly string[];
  /** Removes what was unpacked. */
  close(): void;
}

/**
 * Opens a folder, a `.zip` or a `.tar.gz`. The latter are unpacked into a temporary folder, because messages are read in the
 * order of their days and not of the archive. Before anything is unpacked, throws for paths that lead out of it, for archives
 * that unpack to far more than their size, and for such as have more entries, names or empty files than any export. `maxBytes`: what it may unpack to in any case.
 */
export async function openArchive(path: string, maxBytes?: number): Promise<Archive> {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (!stats) throw new ArchiveError(`There is no ${path}`);
  if (stats.isDirectory()) return { folder: rootOf(path), links: [], close: () => {} };
  const unpack = /\.zip$/i.test(path) ? unzip : /\.(tar\.gz|tgz)$/i.test(path) ? untar : undefined;
  if (!unpack) throw new ArchiveError(`${basename(path)} is neither a folder nor a .zip nor a .tar.gz`);
  const { path: folder, remove } = makeOwnFolder();
  try {
    const links = await unpack(path, folder, stats.size, maxBytes);
    return { folder: rootOf(folder), links, close: remove };
  } catch (error) {
    remove();
    throw error instanceof ArchiveError ? error : new ArchiveError(`${basename(path)}: ${(error as Error).message}`);
  }
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

const maxFileBytes = limits.presignedUploadMib * 1024 * 1024;

/** The content of a file of an archive; undefined if it is not there, is too large, or is no file in the archive's folder. */
export function readFileIn(folder: string, path: string): Buffer | undefined {
  const real = findFileIn(folder, path);
  return real === undefined ? undefined : readFileSync(real);
}

/** Where that file is. */
export function findFileIn(folder: string, path: string): string | undefined {
  try {
    const real = realpathSync(join(folder, path));
    if (!real.startsWith(realpathSync(folder) + sep)) return undefined;
    const stats = lstatSync(real);
    return stats.isFile() && stats.size <= maxFileBytes ? real : undefined;
  } catch {
    return undefined;
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
