import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { scanTable } from "../../shared/store/organization/whole-table.ts";
import { deployedOutputs, fleetOption } from "../deployment.ts";
import { runProgram } from "../program.ts";
import { withProgress } from "../progress.ts";
import { exportTable } from "./table-copy.ts";

/** `npm run export-table -- --to folder`: copies the deployed fleet's table (or `--table name`) into files. */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: { ...fleetOption, to: { type: "string" }, table: { type: "string" } },
  });
  if (!values.to) throw new Error("Specify the folder to write: npm run export-table -- --to folder");
  const table = values.table ?? deployedOutputs().TableName ?? "";
  const folder = resolve(values.to);
  const count = await withProgress("Exported items", (report) => exportTable(scanTable(table), folder, report));
  console.log(`${count} items of ${table} are in ${values.to}.`);
  return 0;
}

await runProgram(main);
