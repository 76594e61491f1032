import { rmSync } from "node:fs";
import { DeleteObjectsCommand, ListObjectVersionsCommand, S3Client } from "@aws-sdk/client-s3";
import { App, RemovalPolicy } from "aws-cdk-lib";
import { deploySettings } from "./aws/settings.ts";
import { cdk, contextIn } from "./cdk.ts";
import { ConfigError, readConfigFile } from "./config-file.ts";
import { deployedOutputs, outputsFile } from "./deployment.ts";
import { runProgram } from "./program.ts";
import { setDeletionProtection } from "./table/deletion-protection.ts";

/**
 * `npm run destroy`: removes the fleet. Table, files and secret are kept, unless `--delete-data <name of the stack>` is
 * given. Other arguments are passed on to `cdk destroy`.
 */
async function main(argv: string[]): Promise<number> {
  const { args, deleteData } = parseArguments(argv);
  const settings = deploySettings(new App({ context: contextIn(args) }).node, readConfigFile());
  if (deleteData !== undefined && deleteData !== settings.name)
    throw new ConfigError([
      `--delete-data must be followed by the stack's name, ${settings.name}, because deleted data cannot be recovered`,
    ]);
  if (deleteData === undefined && settings.removalPolicy === RemovalPolicy.DESTROY)
    throw new ConfigError([
      `removal is "destroy", so the data would be deleted too: confirm with --delete-data ${settings.name}, or deploy with "retain" first`,
    ]);
  const outputs = deployedOutputs(settings.name);
  if (deleteData) {
    console.log("Removing the deletion protection of table, files and secret ...");
    const deployArgs = ["--require-approval", "never", ...args, "-c", "removal=destroy"];
    const deployStatus = await cdk(["deploy", settings.name, ...deployArgs]);
    if (deployStatus !== 0) return deployStatus;
    // What existed before the stack (settings table, filesBucket) is kept: it stays protected, and the bucket is not emptied.
    if (!settings.existing.table) await setDeletionProtection(outputs.TableName ?? "", false);
    if (!settings.existing.filesBucket) await emptyBucket(outputs.FilesBucket ?? "");
  }
  const status = await cdk(["destroy", settings.name, ...args]);
  if (status !== 0) return status;
  rmSync(outputsFile(), { force: true });
  console.log(
    deleteData ? `${settings.name} has been deleted with its data.` : restoreInstructions(settings.name, outputs),
  );
  return 0;
}

function parseArguments(argv: string[]): { args: string[]; deleteData: string | undefined } {
  const flagIndex = argv.indexOf("--delete-data");
  if (flagIndex < 0) return { args: argv, deleteData: undefined };
  const args = argv.filter((_, index) => index !== flagIndex && index !== flagIndex + 1);
  return { args, deleteData: argv[flagIndex + 1] ?? "" };
}

/** Deletes all versions of all objects, because S3 deletes a bucket only if it is empty. */
async function emptyBucket(Bucket: string): Promise<void> {
  const client = new S3Client({});
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) return;
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  }
}

/** The message after a removal that keeps the data, with the settings by which a new fleet uses that data. */
const restoreInstructions = (name: string, outputs: Record<string, string>) =>
  [
    `${name} has been deleted. Its data is kept, and its storage is still billed. To restore the fleet, add this to skein.config.json`,
    "and deploy again:",
    JSON.stringify(
      {
        table: outputs.TableName,
        tableStreamArn: outputs.TableStreamArn,
        filesBucket: outputs.FilesBucket,
        secretArn: outputs.SecretArn,
      },
      undefined,
      2,
    ),
  ].join("\n");

await runProgram(main);
