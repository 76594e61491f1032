import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { lockDataFolder } from "../local/data-folder.ts";
import { startEngine } from "../local/engine.ts";
import { provisionTable } from "../local/provision.ts";
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
  const dataFolder = resolve(process.env.SKEIN_DATA ?? resolve(import.meta.dirname, "..", "..", ".skein"));
  if (existsSync(join(dataFolder, "table.db")))
    throw new Error(`${dataFolder} already contains an organization; set SKEIN_DATA to a new folder.`);
  const folderLock = lockDataFolder(dataFolder);
  const credentials = { accessKeyId: "local", secretAccessKey: randomBytes(32).toString("base64url") };
  const engine = await startEngine(dataFolder, credentials);
  try {
    const client = new DynamoDBClient({ endpoint: engine.url, region: "us-east-1", credentials });
    const table = await provisionTable(client);
    const count = await withProgress("Restoring the table", (report) => importTable(client, table, files, report));
    console.log(`Restored ${count} items to ${dataFolder}; start with SKEIN_DATA=${dataFolder} npm start.`);
  } finally {
    await engine.stop();
    folderLock.release();
  }
  return 0;
}

await runProgram(main);
