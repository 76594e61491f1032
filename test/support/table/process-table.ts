import type { AwsServices } from "../../../shared/base/aws-calls.ts";
import { provideHost } from "../../../shared/base/host.ts";
import { SqliteTable } from "../../../shared/base/table-port/sqlite/sqlite-table.ts";
import { awsCallsVariable, awsServicesAt } from "../hosts/aws-calls.ts";

/**
 * Lets a process use the table of a host in another process: the file that SKEIN_TABLE_FILE names at each call, and what answers there
 * in place of AWS. Without these variables it uses the services of a deployed fleet. Imported, or loaded with `--import` into a program.
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

/** The services of the host, each with the variable by which a test names a stand-in of its own. */
const standInVariables: Record<string, string> = {
  SQSClient: "AWS_ENDPOINT_URL_SQS",
  SchedulerClient: "AWS_ENDPOINT_URL_SCHEDULER",
  S3Client: "",
  SecretsManagerClient: "",
  SESv2Client: "AWS_ENDPOINT_URL_SESV2",
};
const services: AwsServices = (call) => {
  const standIn = standInVariables[call.client];
  const url = process.env[awsCallsVariable];
  return url === undefined || standIn === undefined || process.env[standIn] ? undefined : awsServicesAt(url)(call);
};

provideHost({
  aws: () => (process.env[awsCallsVariable] ? services : undefined),
  table: () => {
    const { SKEIN_TABLE_FILE: file } = process.env;
    return file ? tableIn(file) : undefined;
  },
});

/** The arguments for Node that load this module into a program. */
export const withProcessTable = ["--import", import.meta.filename];
