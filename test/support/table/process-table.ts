import { SqliteTable } from "../../../infra/local/sqlite/sqlite-table.ts";
import { provideHost } from "../../../shared/base/host.ts";

/**
 * Lets a process use the table of a host in another process: the file that SKEIN_TABLE_FILE names at each call. Without that variable
 * it uses the DynamoDB of a deployed fleet. Imported, or loaded with `--import` into a program.
 */

const tables = new Map<string, SqliteTable>();

export function tableIn(file: string): SqliteTable {
  const table = tables.get(file) ?? new SqliteTable(file);
  tables.set(file, table);
  return table;
}

export async function closeTable(file: string): Promise<void> {
  await tables.get(file)?.close();
  tables.delete(file);
}

provideHost({
  table: () => {
    const { SKEIN_TABLE_FILE: file } = process.env;
    return file ? tableIn(file) : undefined;
  },
});

/** The arguments for Node that load this module into a program. */
export const withProcessTable = ["--import", import.meta.filename];
