import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { currentTrace } from "../../observability/trace.ts";
import { db } from "./client.ts";
import { backOff, retryPolicy } from "./retries.ts";
import type { Item, Key } from "./writes.ts";

/** What every call to the one table needs, and the reads as DynamoDB answers them: strongly consistent, or as of a moment ago. */

/** Read at each call: importing this does nothing. */
export const tableName = () => {
  const name = process.env.TABLE_NAME;
  if (!name) throw new Error("The function's uses do not include the table");
  return name;
};

interface Capacity {
  CapacityUnits?: number | undefined;
}

export function count(kind: "readUnits" | "writeUnits", consumed: Capacity | Capacity[] | undefined) {
  const trace = currentTrace();
  if (!trace || !consumed) return;
  for (const { CapacityUnits = 0 } of Array.isArray(consumed) ? consumed : [consumed]) trace[kind] += CapacityUnits;
}

/** DynamoDB keeps no item under a longer key and refuses to look for one; what clients name may be of any length. */
export const canExist = ({ pk, sk }: Key) => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024;

/** The key alone, of what may be a whole item. */
export const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

/** One item; 0.5 read units for each 4 KB begun, or 1 when consistent. */
export async function fetchItem(key: Key, consistent: boolean): Promise<Item | undefined> {
  const { Item, ConsumedCapacity } = await db().send(
    new GetCommand({
      TableName: tableName(),
      Key: keyOf(key),
      ConsistentRead: consistent,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("readUnits", ConsumedCapacity);
  return Item as Item | undefined;
}

/** Those that are there of any number of different keys, in any order; 100 to a call, the calls in parallel. */
export async function fetchItems(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
  const chunks = Array.from({ length: Math.ceil(keys.length / 100) }, (_, i) => keys.slice(i * 100, i * 100 + 100));
  return (await Promise.all(chunks.map((chunk) => fetchChunk(chunk, consistent)))).flat();
}

async function fetchChunk(keys: readonly Key[], ConsistentRead: boolean): Promise<Item[]> {
  const items: Item[] = [];
  let wanted = keys.map(keyOf);
  for (let attempt = 1; wanted.length > 0; attempt++) {
    if (attempt > 1) await backOff(attempt - 1);
    if (attempt > retryPolicy.attempts) throw new Error("The table left items unread again and again");
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await db().send(
      new BatchGetCommand({
        RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    count("readUnits", ConsumedCapacity);
    items.push(...((Responses?.[tableName()] ?? []) as Item[]));
    wanted = (UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
  }
  return items;
}

/** Which items of a partition, of the table or of an index. */
export interface Range {
  pk: string;
  index?: "gsi1" | "gsi2" | "gsi3";
  /** Sort keys that begin so. */
  prefix?: string;
  /** Sort keys from this one on, inclusive. */
  from?: string;
  /** Sort keys up to this one, inclusive. */
  to?: string;
  descending?: boolean;
  /** Only these attributes of each item: fewer bytes travel, though what is read costs the same. */
  fields?: readonly string[];
}

export interface Page {
  items: Item[];
  /** Where the next page begins; undefined after the last. */
  next: QueryCommandInput["ExclusiveStartKey"];
}

/** Whether DynamoDB would answer: it refuses empty ranges and keys that are too long. */
export const mayHoldItems = ({ pk, prefix, from, to }: Range): boolean =>
  canExist({ pk, sk: prefix ?? from ?? "" }) && !(from !== undefined && to !== undefined && from > to);

/** One page of a range: 1 MB at most, and at most `limit` items. */
export async function fetchPage(range: Range, limit: number, consistent: boolean, start?: Page["next"]): Promise<Page> {
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await db().send(
    new QueryCommand({
      TableName: tableName(),
      IndexName: range.index,
      ...keyCondition(range),
      ConsistentRead: range.index === undefined && consistent,
      ScanIndexForward: !range.descending,
      Limit: Number.isFinite(limit) ? limit : undefined,
      ExclusiveStartKey: start,
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("readUnits", ConsumedCapacity);
  return { items: Items as Item[], next: LastEvaluatedKey };
}

/** All items of a range, over as many pages as it takes. */
export async function fetchRange(range: Range, consistent: boolean): Promise<Item[]> {
  const items: Item[] = [];
  for (let start: Page["next"]; mayHoldItems(range); ) {
    const page = await fetchPage(range, Number.POSITIVE_INFINITY, consistent, start);
    items.push(...page.items);
    if (!page.next) break;
    start = page.next;
  }
  return items;
}

function keyCondition({ pk, index, prefix, from, to, fields }: Range) {
  const range =
    prefix !== undefined
      ? "begins_with(#sk, :prefix)"
      : from !== undefined && to !== undefined
        ? "#sk BETWEEN :from AND :to"
        : from !== undefined
          ? "#sk >= :from"
          : to !== undefined
            ? "#sk <= :to"
            : undefined;
  // Items are known by their keys when what was written lately is read again.
  const picked = fields && [...new Set([...fields, "pk", "sk", ...(index ? [`${index}pk`, `${index}sk`] : [])])];
  return {
    KeyConditionExpression: `#pk = :pk${range ? ` AND ${range}` : ""}`,
    ...(picked && { ProjectionExpression: picked.map((_, place) => `#f${place}`).join(", ") }),
    ExpressionAttributeNames: {
      "#pk": `${index ?? ""}pk`,
      ...(range && { "#sk": `${index ?? ""}sk` }),
      ...Object.fromEntries((picked ?? []).map((field, place) => [`#f${place}`, field])),
    },
    ExpressionAttributeValues: {
      ":pk": pk,
      ...(prefix !== undefined && { ":prefix": prefix }),
      ...(prefix === undefined && from !== undefined && { ":from": from }),
      ...(prefix === undefined && to !== undefined && { ":to": to }),
    },
  };
}
