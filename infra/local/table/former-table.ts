import { renameSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Item } from "../../../shared/table/port.ts";
import { fromDynamoDbJson } from "../../table/dynamodb-json.ts";
import { SqliteTable } from "./sqlite-table.ts";

/** The table of version 0.1.0, which an embedded engine kept in an SQLite file of its own. */

const maxItemsAtOnce = 25;

/** Copies the items into a new file, which is there when all of them are; the former one stays as it is. */
export async function convertFormerTable(formerFile: string, file: string): Promise<void> {
  const part = `${file}.part`;
  const remove = () => {
    for (const suffix of ["", "-wal", "-shm"]) rmSync(part + suffix, { force: true });
  };
  remove();
  const former = new DatabaseSync(formerFile);
  const table = new SqliteTable(part);
  try {
    let puts: Item[] = [];
    let written = Promise.resolve();
    for (const { item_json } of former.prepare("SELECT item_json FROM skein").iterate()) {
      puts.push(unmarshall(fromDynamoDbJson(String(item_json))) as Item);
      if (puts.length < maxItemsAtOnce) continue;
      const writing = table.batchWrite({ puts, deletes: [] });
      // One call runs while the next is prepared, so that memory stays small.
      await written;
      written = writing.then(() => {});
      puts = [];
    }
    await written;
    if (puts.length > 0) await table.batchWrite({ puts, deletes: [] });
  } catch (error) {
    await table.close();
    remove();
    throw error;
  } finally {
    former.close();
  }
  await table.close();
  renameSync(part, file);
}
