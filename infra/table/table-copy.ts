import { createReadStream, createWriteStream, existsSync, globSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from "@aws-sdk/client-dynamodb";
import type { ReportProgress } from "../progress.ts";

type Item = Record<string, AttributeValue>;

/** The files of an export. */
const exportPattern = "**/*.json.gz";

/** DynamoDB's limit for one BatchWriteItem. */
const maxBatchItems = 25;

/**
 * Writes every item of a table into `folder`, one per line, in the format of DynamoDB's export to S3 (DynamoDB JSON, gzipped);
 * reports and returns the number of items. Throws if the folder contains an export. The export is a scan, not a snapshot: items written meanwhile may be missing.
 */
export async function exportTable(
  client: DynamoDBClient,
  table: string,
  folder: string,
  report: ReportProgress = () => {},
): Promise<number> {
  let count = 0;
  async function* lines() {
    for await (const { Items = [] } of paginateScan({ client }, { TableName: table, ConsistentRead: true })) {
      for (const item of Items) {
        count++;
        yield `${JSON.stringify({ Item: item }, encodeBinary)}\n`;
      }
      report(count);
    }
  }
  if (existsSync(folder) && globSync(exportPattern, { cwd: folder }).length > 0)
    throw new Error(`${folder} contains an export already; name another folder`);
  const file = join(folder, "data", "items.json.gz");
  mkdirSync(dirname(file), { recursive: true });
  // An export that was interrupted must not be taken for a whole one.
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(`${file}.part`));
  renameSync(`${file}.part`, file);
  return count;
}

/** The paths of the files of an export by `exportTable` or by DynamoDB; throws if there are none. */
export function exportedFiles(folder: string): string[] {
  const files = globSync(exportPattern, { cwd: folder }).sort();
  if (files.length === 0) throw new Error(`There are no files *.json.gz in ${folder}`);
  return files.map((file) => join(folder, file));
}

/** Writes the items of an export's files into a table; returns the number of items. Reports the bytes read of the files. */
export async function importTable(
  client: DynamoDBClient,
  table: string,
  files: readonly string[],
  report: ReportProgress = () => {},
): Promise<number> {
  const sizes = files.map((file) => statSync(file).size);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let finishedBytes = 0;
  let count = 0;
  let batch: Item[] = [];
  const flush = async () => {
    await writeAll(client, table, batch);
    count += batch.length;
    batch = [];
  };
  for (const [index, file] of files.entries()) {
    const zipped = createReadStream(file);
    const unzipped = zipped.pipe(createGunzip());
    for await (const line of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === "") continue;
      const { Item } = JSON.parse(line, decodeBinary) as { Item?: Item };
      // DynamoDB's exports also have manifest files, whose lines have no Item.
      if (Item) batch.push(Item);
      if (batch.length < maxBatchItems) continue;
      await flush();
      report(finishedBytes + zipped.bytesRead, totalBytes);
    }
    finishedBytes += sizes[index] ?? 0;
  }
  await flush();
  return count;
}

async function writeAll(client: DynamoDBClient, table: string, items: readonly Item[]): Promise<void> {
  let requests: WriteRequest[] = items.map((Item) => ({ PutRequest: { Item } }));
  while (requests.length > 0) {
    const { UnprocessedItems } = await client.send(new BatchWriteItemCommand({ RequestItems: { [table]: requests } }));
    requests = UnprocessedItems?.[table] ?? [];
  }
}

/** Encodes binary values as base64, as DynamoDB JSON requires. */
const encodeBinary = (_: string, value: unknown) =>
  value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value;

/**
 * Decodes base64 under the type keys "B" (binary) and "BS" (binary set). The value of an attribute that is itself named "B" is
 * an object such as {"S": "text"}, so that it stays as it is.
 */
function decodeBinary(key: string, value: unknown): unknown {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
  if (key === "B" && typeof value === "string") return bytes(value);
  if (key === "BS" && Array.isArray(value) && value.every((text) => typeof text === "string")) return value.map(bytes);
  return value;
}
