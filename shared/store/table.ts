import { type AttributeValue, BatchGetItemCommand, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { currentTrace } from "../trace.ts";
import { db } from "./client.ts";
import { mustBeConsistent, type ReadOptions } from "./consistency.ts";
import { itemOf, type WireItem } from "./replies.ts";
import type { Item, Key } from "./writes.ts";

/** The one table. The store's entities reach it only through the functions below, and those of `queries.ts` and `transactions.ts`. */

/** Several tables in one process (tests) are told apart by the environment at each call. */
export const tableName = () => {
  const name = process.env.TABLE_NAME;
  if (!name) throw new Error("The function's uses do not include the table");
  return name;
};

interface Capacity {
  CapacityUnits?: number;
}

export function count(kind: "readUnits" | "writeUnits", consumed: Capacity | Capacity[] | undefined) {
  const trace = currentTrace();
  if (!trace || !consumed) return;
  for (const { CapacityUnits = 0 } of Array.isArray(consumed) ? consumed : [consumed]) trace[kind] += CapacityUnits;
}

/** DynamoDB keeps no item under a longer key and refuses to look for one; what clients name may be of any length. */
export const canExist = ({ pk, sk }: Key) => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024;

export const keyAttributes = ({ pk, sk }: Key): Record<string, AttributeValue> => ({ pk: { S: pk }, sk: { S: sk } });

/** One item; 0.5 read units for each 4 KB begun, or 1 when consistent. */
export async function getItem<T extends object = Item>(key: Key, options: ReadOptions = {}) {
  if (!canExist(key)) return undefined;
  const { Item, ConsumedCapacity } = await db().send(
    new GetItemCommand({
      TableName: tableName(),
      Key: keyAttributes(key),
      ConsistentRead: mustBeConsistent(options),
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("readUnits", ConsumedCapacity);
  return Item && itemOf<T>(Item as unknown as WireItem);
}

/** Any number of items in the order of `keys`, undefined where there is none; 100 to a call, the calls in parallel. */
export async function getItems<T extends object = Item>(keys: readonly Key[], options: ReadOptions = {}) {
  const name = (key: Key) => `${key.pk}\n${key.sk}`;
  const unique = [...new Map(keys.filter(canExist).map((key) => [name(key), key])).values()];
  const chunks = Array.from({ length: Math.ceil(unique.length / 100) }, (_, i) => unique.slice(i * 100, i * 100 + 100));
  const found = new Map(
    (await Promise.all(chunks.map((chunk) => getChunk(chunk, options)))).flat().map((item) => [name(item), item]),
  );
  return keys.map((key) => found.get(name(key)) as T | undefined);
}

async function getChunk(keys: Key[], options: ReadOptions): Promise<Item[]> {
  const items: Item[] = [];
  let wanted = keys.map(keyAttributes);
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt > 0) await pause(attempt);
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await db().send(
      new BatchGetItemCommand({
        RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: mustBeConsistent(options) } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    count("readUnits", ConsumedCapacity);
    for (const item of Responses?.[tableName()] ?? []) items.push(itemOf(item as unknown as WireItem));
    wanted = UnprocessedKeys?.[tableName()]?.Keys ?? [];
  }
  return items;
}

export const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20 * 2 ** attempt, 1000)));
