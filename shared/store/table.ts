import {
  DynamoDBClient,
  ReturnValuesOnConditionCheckFailure,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { observed } from "../aws.ts";
import { currentTrace } from "../trace.ts";
import { mustBeConsistent, type ReadOptions } from "./consistency.ts";
import { conditionInput, type Item, type Key, type Update, updateInput, type Write } from "./writes.ts";

/** The one table. The store's entities reach it only through the functions below. */

let client: DynamoDBDocumentClient | undefined;
export const db = () => (client ??= connect());

const connect = () =>
  DynamoDBDocumentClient.from(observed(new DynamoDBClient({})), { marshallOptions: { removeUndefinedValues: true } });

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
const canExist = ({ pk, sk }: Key) => Buffer.byteLength(pk) <= 2048 && Buffer.byteLength(sk) <= 1024;

/** One item; 0.5 read units for each 4 KB begun, or 1 when consistent. */
export async function getItem<T extends object = Item>(key: Key, options: ReadOptions = {}) {
  if (!canExist(key)) return undefined;
  const { Item, ConsumedCapacity } = await db().send(
    new GetCommand({
      TableName: tableName(),
      Key: key,
      ConsistentRead: mustBeConsistent(options),
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("readUnits", ConsumedCapacity);
  return Item as T | undefined;
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
  let wanted: Key[] = keys;
  for (let attempt = 0; wanted.length > 0; attempt++) {
    if (attempt > 0) await pause(attempt);
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await db().send(
      new BatchGetCommand({
        RequestItems: { [tableName()]: { Keys: wanted, ConsistentRead: mustBeConsistent(options) } },
        ReturnConsumedCapacity: "TOTAL",
      }),
    );
    count("readUnits", ConsumedCapacity);
    items.push(...((Responses?.[tableName()] ?? []) as Item[]));
    wanted = (UnprocessedKeys?.[tableName()]?.Keys ?? []) as Key[];
  }
  return items;
}

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
  let remaining = spec.limit ?? Number.POSITIVE_INFINITY;
  let start: Record<string, unknown> | undefined;
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
    yield Items as T[];
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
      ":pk": pk,
      ...(prefix !== undefined && { ":prefix": prefix }),
      ...(prefix === undefined && from !== undefined && { ":from": from }),
      ...(prefix === undefined && to !== undefined && { ":to": to }),
    },
  };
}

/** A condition of a write did not hold; nothing was written. */
export class ConditionFailed extends Error {
  override name = "ConditionFailed";
  /** Positions, among the writes, of those whose condition failed. */
  readonly failed: number[];
  /** The items that stood in the way, by position. */
  readonly existing: Map<number, Item>;
  constructor(failed: number[], existing: Map<number, Item>) {
    super(`Condition failed for writes ${failed.join(", ")}`);
    this.failed = failed;
    this.existing = existing;
  }
}

/**
 * Writes all or nothing (at most 100 items, 4 MB): 2 write units for each KB of each item. Throws ConditionFailed when
 * a condition does not hold; a collision with another transaction is retried with jitter.
 */
export async function transact(writes: readonly Write[]): Promise<void> {
  const TransactItems = writes.map((write) => transactItem(write));
  for (let attempt = 1; ; attempt++) {
    try {
      const { ConsumedCapacity } = await db().send(
        new TransactWriteCommand({ TransactItems, ReturnConsumedCapacity: "TOTAL" }),
      );
      count("writeUnits", ConsumedCapacity);
      return;
    } catch (error) {
      if (!(error instanceof TransactionCanceledException)) throw error;
      const reasons = error.CancellationReasons ?? [];
      const failed = reasons.flatMap(({ Code }, index) => (Code === "ConditionalCheckFailed" ? [index] : []));
      if (failed.length > 0) throw new ConditionFailed(failed, existingItems(reasons));
      const passing = reasons.every(({ Code = "None" }) => retryable.has(Code));
      if (!passing || attempt === 12) throw error;
      await pause(attempt);
    }
  }
}

const retryable = new Set(["None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

function existingItems(reasons: NonNullable<TransactionCanceledException["CancellationReasons"]>) {
  // The document client translates successful replies alone; what an exception carries is still in the wire's form.
  return new Map(reasons.flatMap(({ Item }, index) => (Item ? [[index, unmarshall(Item) as Item] as const] : [])));
}

function transactItem(write: Write) {
  const common = {
    TableName: tableName(),
    ReturnValuesOnConditionCheckFailure: ReturnValuesOnConditionCheckFailure.ALL_OLD,
  };
  switch (write.kind) {
    case "put":
      return { Put: { ...common, Item: write.item, ...conditionInput(write.when) } };
    case "update":
      return { Update: { ...common, Key: write.key, ...updateInput(write.update, write.when) } };
    case "delete":
      return { Delete: { ...common, Key: write.key, ...conditionInput(write.when) } };
    case "check":
      return {
        ConditionCheck: {
          ...common,
          Key: write.key,
          ...(conditionInput(write.when) as { ConditionExpression: string }),
        },
      };
  }
}

/** Updates one item outside any transaction (1 write unit for each KB) and returns it as it then is. */
export async function updateItem<T extends object = Item>(key: Key, update: Update): Promise<T> {
  const { Attributes, ConsumedCapacity } = await db().send(
    new UpdateCommand({
      TableName: tableName(),
      Key: key,
      ...updateInput(update, undefined),
      ReturnValues: "ALL_NEW",
      ReturnConsumedCapacity: "TOTAL",
    }),
  );
  count("writeUnits", ConsumedCapacity);
  return Attributes as T;
}

/** Deletes one item outside any transaction, if it is there; 1 write unit for each KB. */
export async function deleteItem(key: Key): Promise<void> {
  const { ConsumedCapacity } = await db().send(
    new DeleteCommand({ TableName: tableName(), Key: key, ReturnConsumedCapacity: "TOTAL" }),
  );
  count("writeUnits", ConsumedCapacity);
}

export const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(20 * 2 ** attempt, 1000)));
