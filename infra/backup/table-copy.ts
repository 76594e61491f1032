import { createReadStream, createWriteStream, existsSync, globSync, mkdirSync, renameSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip, createGzip } from "node:zlib";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { ReportProgress } from "../../shared/base/progress.ts";
import type { Item, Table } from "../../shared/base/table-port/port.ts";
import { fromDynamoDbJson, toDynamoDbJson } from "./dynamodb-json.ts";

/** The files of an export. */
const exportPattern = "**/*.json.gz";

/** The table's limit for one call. */
const maxBatchItems = 25;

/**
 * Writes the items of a table into `folder`, one per line, in the format of DynamoDB's export to S3 (DynamoDB JSON, gzipped);
 * reports and returns the number of items. Throws if the folder contains an export. The export is a scan, not a snapshot: items written meanwhile may be missing.
 */
export async function exportTable(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  folder: string,
  report: ReportProgress = () => {},
): Promise<number> {
  let count = 0;
  async function* lines() {
    for await (const items of pages) {
      for (const item of items) {
        count++;
        yield `${toDynamoDbJson({ Item: marshall(item) })}\n`;
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

/** Writes the items of an export's files into a table, which leaves none unprocessed; returns the number of items. Reports the bytes read of the files. */
export async function importTable(
  table: Table,
  files: readonly string[],
  report: ReportProgress = () => {},
): Promise<number> {
  const sizes = files.map((file) => statSync(file).size);
  const totalBytes = sizes.reduce((sum, size) => sum + size, 0);
  let finishedBytes = 0;
  let count = 0;
  let batch: Item[] = [];
  const flush = async () => {
    await table.batchWrite({ puts: batch, deletes: [] });
    count += batch.length;
    batch = [];
  };
  for (const [index, file] of files.entries()) {
    const zipped = createReadStream(file);
    const unzipped = zipped.pipe(createGunzip());
    for await (const line of createInterface({ input: unzipped, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line.trim() === "") continue;
      const { Item } = fromDynamoDbJson(line) as { Item?: Record<string, AttributeValue> };
      // DynamoDB's exports also have manifest files, whose lines have no Item.
      if (Item) batch.push(unmarshall(Item) as Item);
      if (batch.length < maxBatchItems) continue;
      await flush();
      report(finishedBytes + zipped.bytesRead, totalBytes);
    }
    finishedBytes += sizes[index] ?? 0;
  }
  await flush();
  return count;
}
