import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Table } from "../../../shared/base/table-port/port.ts";
import { SqliteTable } from "../../../shared/base/table-port/sqlite/sqlite-table.ts";
import { CannotStartError } from "../data-folder.ts";
import { convertFormerTable } from "./former-table.ts";

/** A table that this process uses until it closes it. */
export interface OpenTable {
  table: Table;
  /** How another process finds the table. */
  environment: Record<string, string>;
  close(): Promise<void>;
}

/** The table's file in a data folder. */
const tableFile = (dataFolder: string) => join(dataFolder, "table.sqlite");

/** The file in which version 0.1.0 kept the table. */
const formerTableFile = (dataFolder: string) => join(dataFolder, "table.db");

/** Whether a data folder has a table. */
export const hasTable = (dataFolder: string): boolean =>
  existsSync(tableFile(dataFolder)) || existsSync(formerTableFile(dataFolder));

/** How often items whose time to live has passed are deleted, and how many at a time: each holds up requests for a few milliseconds. */
const expiryIntervalMs = 60_000;
const maxExpiredAtOnce = 100;

/** Opens the table of a data folder, which this process has locked; throws CannotStartError if that is not possible. */
export async function openTable(dataFolder: string): Promise<OpenTable> {
  const file = tableFile(dataFolder);
  const table = await open(dataFolder, file);
  let expiry = Promise.resolve();
  const timer = setInterval(() => {
    expiry = deleteExpired(table).catch((error: unknown) => console.error(JSON.stringify({ expiry: String(error) })));
  }, expiryIntervalMs);
  timer.unref();
  return {
    table,
    environment: { SKEIN_TABLE_FILE: file, TABLE_NAME: "skein" },
    close: async () => {
      clearInterval(timer);
      await expiry;
      await table.close();
    },
  };
}

async function open(dataFolder: string, file: string): Promise<SqliteTable> {
  try {
    const formerFile = formerTableFile(dataFolder);
    if (!existsSync(file) && existsSync(formerFile)) {
      await convertFormerTable(formerFile, file);
      console.log(`Copied the table of version 0.1.0 to ${file}; ${formerFile} is not needed any more.`);
    }
    return new SqliteTable(file);
  } catch (error) {
    throw new CannotStartError(`the table ${file} cannot be used: ${(error as Error).message}`);
  }
}

async function deleteExpired(table: SqliteTable): Promise<void> {
  while ((await table.deleteExpired(maxExpiredAtOnce)) === maxExpiredAtOnce);
}
