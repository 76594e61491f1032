import { currentHost } from "../../base/host.ts";
import { scanDynamoDb } from "../../base/table-port/dynamodb/scan.ts";
import type { Item } from "../../base/table-port/port.ts";
import { SqliteTable } from "../../base/table-port/sqlite/sqlite-table.ts";

/** Every item of the table, page by page in no particular order, for imports and commands of operators. */
export async function* scanTable(name?: string): AsyncGenerator<Item[]> {
  const own = currentHost().table();
  yield* own instanceof SqliteTable ? own.pages() : scanDynamoDb(name);
}
