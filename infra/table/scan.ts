import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { declaredVariable } from "../../shared/environment.ts";
import { connect } from "../../shared/table/dynamodb/table.ts";
import type { Item } from "../../shared/table/port.ts";

/** Every item of the table, page by page in no particular order, for commands of operators. The store never reads a whole table. */
export async function* scanTable(): AsyncGenerator<Item[]> {
  const pages = paginateScan(
    { client: connect() },
    { TableName: declaredVariable("TABLE_NAME"), ConsistentRead: true },
  );
  for await (const { Items = [] } of pages) yield Items as Item[];
}
