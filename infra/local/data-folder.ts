import { accessSync, chmodSync, constants, existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A problem that the person who starts the host can fix. */
export class CannotStartError extends Error {
  override name = "CannotStartError";
}

/** A lock that this process holds until it releases it or ends, even by a kill. */
interface FileLock {
  release(): void;
}

/** How long a start waits for the previous host to end. */
const lockWaitMs = 5_000;

/**
 * Creates the data folder, readable only by its owner, and locks it for this process: two hosts must not use one folder.
 * Throws CannotStartError if another host has it.
 */
export function lockDataFolder(dataFolder: string): FileLock {
  mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
  makePrivate(dataFolder);
  checkWritable(dataFolder);
  const lock = lockFile(join(dataFolder, "host.lock"), lockWaitMs);
  if (!lock)
    throw new CannotStartError(
      "The data folder is in use by another host; stop that host, or set SKEIN_DATA to another folder.",
    );
  return lock;
}

/** The files of which a data folder has one: that of the table, today and in version 0.1.0, or the lock. */
const skeinsFiles = ["table.sqlite", "table.db", "host.lock"];

/** Refuses a folder with other files, such as a home folder named by mistake, rather than changing its permissions. */
function makePrivate(dataFolder: string): void {
  if ((statSync(dataFolder).mode & 0o077) === 0) return;
  if (readdirSync(dataFolder).length > 0 && !skeinsFiles.some((name) => existsSync(join(dataFolder, name))))
    throw new CannotStartError(
      `${dataFolder} is readable by others and contains files that are not Skein's: set SKEIN_DATA to a new folder, or restrict its permissions (chmod 700).`,
    );
  chmodSync(dataFolder, 0o700);
}

/** SQLite would open a file that it cannot write, and then neither lock it nor say why a write fails. */
function checkWritable(dataFolder: string): void {
  for (const path of [dataFolder, ...["table.sqlite", "host.lock"].map((name) => join(dataFolder, name))])
    try {
      accessSync(path, constants.W_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT") throw new CannotStartError(`${path} cannot be written (${code}).`);
    }
}

/** Keeps locked databases reachable: garbage collection would close them and so release their locks. */
const lockedDatabases = new Set<DatabaseSync>();

/**
 * Takes the lock of a file, or returns undefined when another process still has it after `waitMs`. SQLite locks the file
 * in the kernel, so that only one process can have it and a process that was killed has it no longer. Blocks the thread.
 */
export function lockFile(file: string, waitMs: number): FileLock | undefined {
  const database = new DatabaseSync(file, { timeout: waitMs });
  try {
    database.exec("BEGIN EXCLUSIVE");
    lockedDatabases.add(database);
    return {
      release: () => {
        lockedDatabases.delete(database);
        database.close();
      },
    };
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
}

const sqliteBusy = 5;
const isBusy = (error: unknown) => (error as { errcode?: number }).errcode === sqliteBusy;
