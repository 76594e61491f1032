import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { closeTable } from "./process-table.ts";

const folders: string[] = [];
let fileBefore: string | undefined;

const fileIn = (folder: string) => join(folder, "table.sqlite");

/** Lets this process use a new, empty table from now on. */
export function useSeparateTable(): void {
  if (folders.length === 0) fileBefore = process.env.SKEIN_TABLE_FILE;
  const folder = mkdtempSync(join(tmpdir(), "skein-table-"));
  folders.push(folder);
  process.env.SKEIN_TABLE_FILE = fileIn(folder);
}

/** Lets this process use its host's table again. */
export async function leaveSeparateTables(): Promise<void> {
  if (folders.length === 0) return;
  if (fileBefore === undefined) delete process.env.SKEIN_TABLE_FILE;
  else process.env.SKEIN_TABLE_FILE = fileBefore;
  for (const folder of folders.splice(0)) {
    await closeTable(fileIn(folder));
    rmSync(folder, { recursive: true });
  }
}
