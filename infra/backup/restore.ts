import { parseArgs } from "node:util";
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { S3Client } from "@aws-sdk/client-s3";
import { tableShape } from "../../shared/base/table-port/table-shape.ts";
import { deployedOutputs, fleetOption } from "../deployment.ts";
import { RefusedError, runProgram } from "../program.ts";
import { withProgress } from "../progress.ts";
import { setDeletionProtection } from "./deletion-protection.ts";
import { restoreFiles } from "./restore-files.ts";

/** A restore takes as long as the table is large. */
const maxWaitTime = 12 * 3600;

/**
 * `npm run restore -- --at <time> --to <new table>`: restores the deployed fleet's table as of a time into a new table, and the
 * files that were deleted or replaced since, unless `--without-files` is given; prints the settings that give them to the fleet. It
 * can be repeated.
 */
async function main(args: string[]): Promise<number> {
  const { values } = parseArgs({
    args,
    options: {
      ...{ ...fleetOption, at: { type: "string" }, to: { type: "string" } },
      "without-files": { type: "boolean", default: false },
    },
  });
  const at = new Date(values.at ?? "");
  if (Number.isNaN(at.getTime()) || !values.to)
    throw new Error("Specify when and the new table: npm run restore -- --at 2026-11-21T12:00:00Z --to Skein-Restored");
  const { TableName: source = "", FilesBucket: bucket = "" } = deployedOutputs();
  console.log(`Restoring ${source} as of ${at.toISOString()} into ${values.to}, which takes minutes to hours ...`);
  const tableStreamArn = await restoreTable(new DynamoDBClient({}), source, values.to, at);
  const files = values["without-files"]
    ? `the files in ${bucket} are unchanged`
    : `${await withProgress("Restored files", (report) => restoreFiles(new S3Client({}), bucket, at, report))} files in ${bucket} are current again`;
  console.log(
    [
      `${values.to} is restored, and ${files}. Add this to skein.config.json, and deploy:`,
      JSON.stringify({ table: values.to, tableStreamArn }, undefined, 2),
      `${source} is kept, with everything that was written since.`,
    ].join("\n"),
  );
  return 0;
}

/**
 * Restores a table and what a restore leaves out: stream, backups, expiry and protection. Returns the stream's ARN. Throws
 * RefusedError if there is a table of that name other than the result of this restore.
 */
async function restoreTable(client: DynamoDBClient, source: string, TableName: string, at: Date): Promise<string> {
  const exists = await client.send(new DescribeTableCommand({ TableName })).catch((error) => {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  });
  if (!exists)
    await client.send(
      new RestoreTableToPointInTimeCommand({
        ...{ SourceTableName: source, TargetTableName: TableName, RestoreDateTime: at },
      }),
    );
  else checkIsRestore(exists.Table, source, at);
  const whenActive = () => waitUntilTableExists({ client, maxWaitTime }, { TableName });
  const describe = async () => (await client.send(new DescribeTableCommand({ TableName }))).Table;
  await whenActive();
  if (!(await describe())?.StreamSpecification?.StreamEnabled) {
    const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_IMAGE" } as const;
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
    await whenActive();
  }
  await client.send(
    new UpdateContinuousBackupsCommand({
      ...{ TableName, PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } },
    }),
  );
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  if (TimeToLiveDescription?.TimeToLiveStatus !== "ENABLED")
    await client.send(
      new UpdateTimeToLiveCommand({
        ...{ TableName, TimeToLiveSpecification: { Enabled: true, AttributeName: tableShape.timeToLiveAttribute } },
      }),
    );
  await setDeletionProtection(TableName, true);
  return (await describe())?.LatestStreamArn ?? "";
}

/** A repeated restore finishes what it began; it changes no other table. */
function checkIsRestore(table: TableDescription | undefined, source: string, at: Date): void {
  const { SourceTableArn, RestoreDateTime } = table?.RestoreSummary ?? {};
  // DynamoDB restores to the second.
  const isSameTime = Math.abs(Number(RestoreDateTime) - Number(at)) < 1000;
  if (SourceTableArn?.split("/").at(-1) !== source || !isSameTime)
    throw new RefusedError([
      `there is a table ${table?.TableName} already, which is not ${source} as of ${at.toISOString()}: choose another name`,
    ]);
}

await runProgram(main);
