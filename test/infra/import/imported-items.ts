import { paginateScan } from "@aws-sdk/lib-dynamodb";
import { db } from "../../../shared/store/table/client.ts";

/** The table's items, without what is new or random in each attempt of an import. */
export async function items() {
  const found = new Map<string, Record<string, unknown>>();
  const pages = paginateScan({ client: db() }, { TableName: process.env.TABLE_NAME, ConsistentRead: true });
  for await (const { Items = [] } of pages)
    for (const { pk, sk, ...item } of Items) {
      if (/^(LOG|BOTKEY|SEGMENT)#|^SEARCH$/.test(pk) || (pk === "LOG" && sk === "HEAD")) continue;
      const { keySalt: _, keyHash: __, uuid: ___, ...kept } = item;
      found.set(`${pk} ${sk}`, kept);
    }
  return found;
}
