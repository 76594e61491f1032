import { App } from "aws-cdk-lib";
import { deploySettings } from "./aws/settings.ts";
import { adoptProfile, cdk } from "./cdk.ts";
import { ConfigError, readConfigFile } from "./config-file.ts";
import { contextIn } from "./context.ts";
import { checkOutputsFile, deleteOutputs, deleteRemoval, readRemoval, writeRemoval } from "./deployment.ts";
import { runProgram } from "./program.ts";
import { confirmDeletion } from "./stack/confirm.ts";
import { deleteData, describeData } from "./stack/data.ts";
import { findStack, otherFleets, ownedData } from "./stack/deployed-stack.ts";
import { closeMailDomain } from "./stack/mail-domain.ts";
import { type RemovalRecord, type Removed, removeFleet } from "./stack/removal.ts";

/**
 * `npm run destroy`: removes the fleet. Table, files and secret are kept, unless `--delete-data <name of the stack>` is
 * given. `--yes` answers the question. Other arguments are passed on to `cdk destroy`.
 */
async function main(argv: string[]): Promise<number> {
  const { args, nameToDelete, isConfirmed } = parseArguments(argv);
  adoptProfile(args);
  const { name, existing } = deploySettings(new App({ context: contextIn(args) }).node, readConfigFile());
  if (nameToDelete !== undefined && nameToDelete !== name)
    throw new ConfigError([
      `--delete-data must be followed by the stack's name, ${name}, because deleted data cannot be recovered`,
    ]);
  checkOutputsFile(name);
  const withData = nameToDelete !== undefined;
  const removed = await removeFleet(
    { name, withData, existing },
    {
      ...{ findStack, ownedData, otherFleets, describeData, deleteData },
      retainData: async () => {
        console.log("Having CloudFormation keep the data until the fleet is deleted ...");
        const settings = ["-c", "removal=retain", "-c", "terminationProtection=false"];
        await runCdk(["deploy", name, "--require-approval", "never", ...args, ...settings]);
      },
      destroyStack: async () => {
        await closeMailDomain(name, (await findStack(name))?.outputs);
        await runCdk(["destroy", name, "--force", ...args]);
      },
      confirm: (text) => confirmDeletion(text, isConfirmed),
      readRecord: () => readRemoval(name) as RemovalRecord | undefined,
      writeRecord: (record) => writeRemoval(name, record.stackId, record),
      deleteRecord: (stackId) => deleteRemoval(name, stackId),
    },
  );
  deleteOutputs(name, removed.stackId);
  console.log(withData ? `${name} has been deleted with its data.` : restoreInstructions(name, removed));
  return 0;
}

async function runCdk(args: readonly string[]): Promise<void> {
  const status = await cdk(args);
  if (status !== 0) throw new Error(`cdk ${args[0]} failed. When its cause is fixed, run npm run destroy again.`);
}

function parseArguments(argv: readonly string[]) {
  const args: string[] = [];
  let nameToDelete: string | undefined;
  let isConfirmed = false;
  for (let index = 0; index < argv.length; index++) {
    const arg = argv[index] ?? "";
    if (arg === "--delete-data") nameToDelete = argv[++index] ?? "";
    else if (arg === "--yes" || arg === "--force" || arg === "-f") isConfirmed = true;
    else args.push(arg);
  }
  return { args, nameToDelete, isConfirmed };
}

/** The message after a removal that keeps the data, with the settings by which a new fleet uses that data. */
function restoreInstructions(name: string, { outputs = {}, data }: Removed): string {
  if (data.length === 0)
    return `${name} has been deleted. Table, files and secret were not its own, and are unchanged.`;
  const { TableName: table, TableStreamArn: tableStreamArn, FilesBucket: filesBucket, SecretArn: secretArn } = outputs;
  return [
    `${name} has been deleted. Its data is kept, and its storage is still billed. To restore the fleet, add this to skein.config.json`,
    "and deploy again:",
    JSON.stringify({ table, tableStreamArn, filesBucket, secretArn }, undefined, 2),
  ].join("\n");
}

await runProgram(main);
