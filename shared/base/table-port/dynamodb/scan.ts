import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { declaredVariable } from "../../environment.ts";
import type { Item } from "../port.ts";
import { connect } from "./table.ts";

/** Every item of a table, page by page in no particular order. It is no call of the port: requests never read a whole table. */
export async function* scanDynamoDb(name = declaredVariable("TABLE_NAME")): AsyncGenerator<Item[]> {
  for await (const { Items = [] } of paginateScan({ client: connect() }, { TableName: name, ConsistentRead: true }))
    yield Items as Item[];
}
