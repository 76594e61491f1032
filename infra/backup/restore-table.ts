import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { operatorFolder } from "../config-file.ts";
import { lockDataFolder } from "../local/data-folder.ts";
import { hasTable, openTable } from "../local/sqlite/open-table.ts";
import { runProgram } from "../program.ts";
import { withProgress } from "../progress.ts";
import { exportedFiles, importTable } from "./table-copy.ts";

/**
 * `npm run restore-table -- --from folder`: creates a data folder (`SKEIN_DATA`) for `npm start` from a table's export.
 * The export has no files of the bucket, so uploaded files are not restored.
 */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({ args, options: { from: { type: "string" } } });
  if (!values.from) throw new Error("Specify the folder of the export: npm run restore-table -- --from folder");
  const files = exportedFiles(resolve(values.from));
  const dataFolder = resolve(process.env.SKEIN_DATA ?? `${operatorFolder}/.skein`);
  if (hasTable(dataFolder))
    throw new Error(`${dataFolder} already contains an organization; set SKEIN_DATA to a new folder.`);
  const folderLock = lockDataFolder(dataFolder);
  const { table, close } = await openTable(dataFolder);
  try {
    const count = await withProgress("Restoring the table", (report) => importTable(table, files, report));
    console.log(`Restored ${count} items to ${dataFolder}; start with SKEIN_DATA=${dataFolder} npm start.`);
  } finally {
    await close();
    folderLock.release();
  }
  return 0;
}

await runProgram(main);
