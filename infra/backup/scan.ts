import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { declaredVariable } from "../../shared/base/environment.ts";
import { currentHost } from "../../shared/base/host.ts";
import { connect } from "../../shared/base/table-port/dynamodb/table.ts";
import type { Item } from "../../shared/base/table-port/port.ts";
import { SqliteTable } from "../local/sqlite/sqlite-table.ts";

/** Every item of the table, page by page in no particular order, for commands of operators. The store never reads a whole table. */
export async function* scanTable(name = declaredVariable("TABLE_NAME")): AsyncGenerator<Item[]> {
  const own = currentHost().table();
  if (own instanceof SqliteTable) {
    yield* own.pages();
    return;
  }
  const pages = paginateScan({ client: connect() }, { TableName: name, ConsistentRead: true });
  for await (const { Items = [] } of pages) yield Items as Item[];
}
