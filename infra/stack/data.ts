import {
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import {
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectVersionsCommand,
  paginateListObjectsV2,
  S3Client,
} from "@aws-sdk/client-s3";
import { DeleteSecretCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { setDeletionProtection } from "../backup/deletion-protection.ts";
import type { DataResource } from "./deployed-stack.ts";

/** How many of a bucket's files are counted for the question whether to delete them. */
const maxCounted = 10_000;

/** What would be lost with a resource, as a line; undefined if it does not exist. */
export async function describeData({ kind, id }: DataResource): Promise<string | undefined> {
  if (kind === "secret") return `secret  ${id}: API keys and links to files depend on it`;
  if (kind === "table") {
    const reply = await unlessMissing(new DynamoDBClient({}).send(new DescribeTableCommand({ TableName: id })));
    const { ItemCount = 0, TableSizeBytes = 0 } = reply?.Table ?? {};
    return reply && `table   ${id}: ${ItemCount} items, ${megabytes(TableSizeBytes)} (as of the last six hours)`;
  }
  const files = await unlessMissing(countFiles(id));
  return files === undefined ? undefined : `files   ${id}: ${files}`;
}

async function countFiles(Bucket: string): Promise<string> {
  let [count, bytes] = [0, 0];
  for await (const { Contents = [] } of paginateListObjectsV2({ client: new S3Client({}) }, { Bucket })) {
    count += Contents.length;
    bytes += Contents.reduce((sum, { Size = 0 }) => sum + Size, 0);
    if (count >= maxCounted) return `more than ${maxCounted} files`;
  }
  return `${count} files, ${megabytes(bytes)}, with their former versions`;
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;

/** Deletes a resource and what it contains, for ever. Idempotent. */
export async function deleteData({ kind, id }: DataResource): Promise<void> {
  if (kind === "table") await unlessMissing(deleteTable(id));
  else if (kind === "bucket") await unlessMissing(deleteBucket(id));
  else
    await unlessMissing(
      new SecretsManagerClient({}).send(new DeleteSecretCommand({ SecretId: id, ForceDeleteWithoutRecovery: true })),
    );
}

async function deleteTable(TableName: string): Promise<void> {
  const client = new DynamoDBClient({});
  await setDeletionProtection(TableName, false);
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists({ client, maxWaitTime: 600 }, { TableName });
}

/** Deletes all versions of all files first, because S3 deletes a bucket only if it is empty. */
async function deleteBucket(Bucket: string): Promise<void> {
  const client = new S3Client({});
  for (;;) {
    const { Versions = [], DeleteMarkers = [] } = await client.send(new ListObjectVersionsCommand({ Bucket }));
    const Objects = [...Versions, ...DeleteMarkers].map(({ Key, VersionId }) => ({ Key, VersionId }));
    if (Objects.length === 0) break;
    const { Errors = [] } = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
    const [error] = Errors;
    if (error) throw new Error(`${error.Key} in ${Bucket} cannot be deleted: ${error.Message ?? error.Code}`);
  }
  await client.send(new DeleteBucketCommand({ Bucket }));
}

const missing = new Set(["ResourceNotFoundException", "NoSuchBucket", "NotFound"]);

async function unlessMissing<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Error && missing.has(error.name)) return undefined;
    throw error;
  }
}
