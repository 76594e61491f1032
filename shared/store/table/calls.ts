import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from "@aws-sdk/lib-dynamodb";
import { Unavailable } from "../../aws/unavailable.ts";
import { batchesOf } from "../../batches.ts";
import { declaredVariable } from "../../environment.ts";
import { currentTrace } from "../../observability/trace.ts";
import { db } from "./client.ts";
import { keyOf } from "./keys.ts";
import { backOff } from "./retries.ts";
import type { Item, Key } from "./writes.ts";

/** The table's name, capacity accounting, and plain DynamoDB reads: strongly or eventually consistent, as the caller says. */

export const tableName = () => declaredVariable("TABLE_NAME");

interface Capacity {
  CapacityUnits?: number | undefined;
}

export function recordCapacity(kind: "readUnits" | "writeUnits", consumed: Capacity | Capacity[] | undefined) {
  const trace = currentTrace();
  if (!trace || !consumed) return;
  for (const { CapacityUnits = 0 } of Array.isArray(consumed) ? consumed : [consumed]) trace[kind] += CapacityUnits;
}

/** DynamoDB rejects requests with other keys. Clients may send names of any length, for which no item can exist. */
export const isValidKey = ({ pk, sk }: Key) => pk !== "" && sk !== "" && hasValidLength({ pk, sk });
const hasValidLength = ({ pk, sk }: Key) => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024;

/** DynamoDB's limit for one call. */
const batchSize = 100;

/**
 * The existing items among any number of distinct keys, in no particular order; `batchSize` in a call, the calls in parallel. Each
 * costs 0.5 read units for each 4 KB begun, or 1 when consistent.
 */
export async function fetchItems(keys: readonly Key[], consistent: boolean): Promise<Item[]> {
  const calls = [...batchesOf(keys, batchSize)].map((batch) =>
    batch.length === 1 ? fetchOne(batch[0] as Key, consistent) : fetchBatch(batch, consistent),
  );
  return (await Promise.all(calls)).flat();
}

async function fetchOne(key: Key, ConsistentRead: boolean): Promise<Item[]> {
  const Key = keyOf(key);
  const { Item, ConsumedCapacity } = await db().send(
    new GetCommand({ TableName: tableName(), Key, ConsistentRead, ReturnConsumedCapacity: "TOTAL" }),
  );
  recordCapacity("readUnits", ConsumedCapacity);
  return Item ? [Item as Item] : [];
}

async function fetchBatch(keys: readonly Key[], ConsistentRead: boolean): Promise<Item[]> {
  const items: Item[] = [];
  let remainingKeys = keys.map(keyOf);
  for (let attempt = 0; remainingKeys.length > 0; attempt++) {
    if (attempt > 0 && !(await backOff(attempt)))
      throw new Unavailable(`DynamoDB left keys unprocessed in ${attempt} attempts`);
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await db().send(
      new BatchGetCommand({
        RequestItems: { [tableName()]: { Keys: remainingKeys, ConsistentRead } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    recordCapacity("readUnits", ConsumedCapacity);
    items.push(...((Responses?.[tableName()] ?? []) as Item[]));
    remainingKeys = (UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
  }
  return items;
}

/** A range of a partition's items, in the table or in an index. */
export interface KeyRange {
  pk: string;
  index?: "gsi1" | "gsi2" | "gsi3";
  /** Only sort keys with this prefix; without `from` and `to`. */
  prefix?: string;
  /** Sort keys from this one on, inclusive. */
  from?: string;
  /** Sort keys up to this one, inclusive. */
  to?: string;
  descending?: boolean;
  /** Only these attributes of each item. Saves transfer, not read units. */
  fields?: readonly string[];
}

export interface QueryPage<T extends object = Item> {
  items: T[];
  /** Where the next page begins; undefined after the last. */
  next: QueryCommandInput["ExclusiveStartKey"];
}

/** Whether DynamoDB accepts the query: it rejects inverted ranges and keys that are too long. */
export const isQueryable = ({ pk, prefix, from, to }: KeyRange): boolean =>
  hasValidLength({ pk, sk: prefix ?? from ?? "" }) && !(from !== undefined && to !== undefined && from > to);

/** One page of a range: 1 MB at most, and at most `limit` items. */
export async function fetchPage<T extends object = Item>(
  range: KeyRange,
  limit: number,
  consistent: boolean,
  start?: QueryPage["next"],
): Promise<QueryPage<T>> {
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
  recordCapacity("readUnits", ConsumedCapacity);
  return { items: Items as T[], next: LastEvaluatedKey };
}

/** All items of a range, over as many pages as it takes. */
export async function fetchRange<T extends object = Item>(range: KeyRange, consistent: boolean): Promise<T[]> {
  const items: T[] = [];
  for (let start: QueryPage["next"]; isQueryable(range); ) {
    const page = await fetchPage<T>(range, Number.POSITIVE_INFINITY, consistent, start);
    items.push(...page.items);
    if (!page.next) break;
    start = page.next;
  }
  return items;
}

function keyCondition({ pk, index, prefix, from, to, fields }: KeyRange) {
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
  // Always includes the keys, because a query uses them to merge recently written items into its result.
  const projectedFields = fields && [
    ...new Set([...fields, "pk", "sk", ...(index ? [`${index}pk`, `${index}sk`] : [])]),
  ];
  return {
    KeyConditionExpression: `#pk = :pk${range ? ` AND ${range}` : ""}`,
    ...(projectedFields && { ProjectionExpression: projectedFields.map((_, index) => `#f${index}`).join(", ") }),
    ExpressionAttributeNames: {
      "#pk": `${index ?? ""}pk`,
      ...(range && { "#sk": `${index ?? ""}sk` }),
      ...Object.fromEntries((projectedFields ?? []).map((field, index) => [`#f${index}`, field])),
    },
    ExpressionAttributeValues: {
      ":pk": pk,
      ...(prefix !== undefined && { ":prefix": prefix }),
      ...(prefix === undefined && from !== undefined && { ":from": from }),
      ...(prefix === undefined && to !== undefined && { ":to": to }),
    },
  };
}
