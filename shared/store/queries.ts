import { QueryCommand, type QueryCommandInput } from "@aws-sdk/client-dynamodb";
import { db } from "./client.ts";
import { mustBeConsistent, type ReadOptions } from "./consistency.ts";
import { itemOf, type WireItem } from "./replies.ts";
import { canExist, count, tableName } from "./table.ts";
import type { Item } from "./writes.ts";

export interface QuerySpec extends ReadOptions {
  pk: string;
  index?: "gsi1" | "gsi2" | "gsi3";
  /** Sort keys that begin so. */
  prefix?: string;
  /** Sort keys from this one on, inclusive. */
  from?: string;
  /** Sort keys up to this one, inclusive. */
  to?: string;
  descending?: boolean;
  /** At most so many items; absent, all of them, however many pages that takes. */
  limit?: number;
  /** Only these attributes of each item: fewer bytes travel, though what is read costs the same. */
  fields?: readonly string[];
}

/** The items of a query, over as many pages as it takes. */
export async function queryItems<T extends object = Item>(spec: QuerySpec): Promise<T[]> {
  const items: T[] = [];
  for await (const page of queryPages<T>(spec)) items.push(...page);
  return items;
}

/** The items of a query page by page (1 MB at most each), so that a long list need not be held at once. */
export async function* queryPages<T extends object = Item>(spec: QuerySpec): AsyncGenerator<T[]> {
  if (!canExist({ pk: spec.pk, sk: spec.prefix ?? spec.from ?? "" })) return;
  // An empty range, which DynamoDB refuses.
  if (spec.from !== undefined && spec.to !== undefined && spec.from > spec.to) return;
  let remaining = spec.limit ?? Number.POSITIVE_INFINITY;
  let start: QueryCommandInput["ExclusiveStartKey"];
  while (remaining > 0) {
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await db().send(
      new QueryCommand({
        TableName: tableName(),
        IndexName: spec.index,
        ...keyCondition(spec),
        ConsistentRead: spec.index === undefined && mustBeConsistent(spec),
        ScanIndexForward: !spec.descending,
        Limit: Number.isFinite(remaining) ? remaining : undefined,
        ExclusiveStartKey: start,
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    count("readUnits", ConsumedCapacity);
    yield Items.map((item) => itemOf<T>(item as unknown as WireItem));
    remaining -= Items.length;
    if (!LastEvaluatedKey) return;
    start = LastEvaluatedKey;
  }
}

function keyCondition({ pk, index, prefix, from, to, fields }: QuerySpec) {
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
  return {
    KeyConditionExpression: `#pk = :pk${range ? ` AND ${range}` : ""}`,
    ...(fields && { ProjectionExpression: fields.map((_, place) => `#f${place}`).join(", ") }),
    ExpressionAttributeNames: {
      "#pk": `${index ?? ""}pk`,
      ...(range && { "#sk": `${index ?? ""}sk` }),
      ...Object.fromEntries((fields ?? []).map((field, place) => [`#f${place}`, field])),
    },
    ExpressionAttributeValues: {
      ":pk": { S: pk },
      ...(prefix !== undefined && { ":prefix": { S: prefix } }),
      ...(prefix === undefined && from !== undefined && { ":from": { S: from } }),
      ...(prefix === undefined && to !== undefined && { ":to": { S: to } }),
    },
  };
}
