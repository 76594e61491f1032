import { DynamoDBClient, type DynamoDBClientConfig, type TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  type BatchWriteCommandInput,
  DeleteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { declaredVariable } from "../../environment.ts";
import type { CallOptions, Item, Key, Table, TableCallName, TableRequests, TableResults, TableWrite } from "../port.ts";
import { conditionInput, rangeInput, updateInput } from "./expressions.ts";

/**
 * The adapter for DynamoDB, and for whatever else speaks its protocol: the only part of Skein that knows its expressions and the SDK's
 * document client.
 */

/**
 * A document client. It converts plain values to attributes: undefined properties are left out, a
 * Set becomes a DynamoDB set, and a number that a double cannot hold exactly is rejected.
 */
export const connect = (config: DynamoDBClientConfig = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient(config), {
    marshallOptions: { removeUndefinedValues: true },
  });

interface Capacity {
  CapacityUnits?: number | undefined;
}

const unitsOf = (consumed: Capacity | Capacity[] | undefined): number =>
  [consumed ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);

/** The units of a call, and how often the SDK repeated it. */
const usageOf = (consumed: Capacity | Capacity[] | undefined, { attempts = 1 }: { attempts?: number | undefined }) => ({
  units: unitsOf(consumed),
  ...(attempts > 1 && { retries: attempts - 1 }),
});

const consumption = { ReturnConsumedCapacity: "TOTAL" } as const;
const keyOf = ({ pk, sk }: Key): Key => ({ pk, sk });

/** A table: a client, and the table's name, which is asked at each call. */
export interface TableConnection {
  client: DynamoDBDocumentClient;
  nameOf: () => string;
}

type DynamoDbCall<Name extends TableCallName> = (
  connection: TableConnection,
  request: TableRequests[Name],
  options?: CallOptions,
) => Promise<TableResults[Name]>;

/** The table that the environment names. */
export const connectTable = (config?: DynamoDBClientConfig): TableConnection => ({
  client: connect(config),
  nameOf: () => declaredVariable("TABLE_NAME"),
});

// A function for each call, so that a bundle contains only the commands that its function needs.

export const getItem: DynamoDbCall<"get"> = async (
  { client, nameOf },
  { key, consistent: ConsistentRead },
  options,
) => {
  const { Item, ConsumedCapacity, $metadata } = await client.send(
    new GetCommand({ TableName: nameOf(), Key: keyOf(key), ConsistentRead, ...consumption }),
    options,
  );
  return { item: Item as Item | undefined, ...usageOf(ConsumedCapacity, $metadata) };
};

export const batchGetItems: DynamoDbCall<"batchGet"> = async (
  { client, nameOf },
  { keys, consistent: ConsistentRead },
  options,
) => {
  const name = nameOf();
  const { Responses, UnprocessedKeys, ConsumedCapacity, $metadata } = await client.send(
    new BatchGetCommand({ RequestItems: { [name]: { Keys: keys.map(keyOf), ConsistentRead } }, ...consumption }),
    options,
  );
  return {
    items: (Responses?.[name] ?? []) as Item[],
    unprocessed: (UnprocessedKeys?.[name]?.Keys ?? []) as Key[],
    ...usageOf(ConsumedCapacity, $metadata),
  };
};

export const queryItems: DynamoDbCall<"query"> = async (
  { client, nameOf },
  { consistent, limit, start, ...range },
  options,
) => {
  const command = new QueryCommand({
    TableName: nameOf(),
    IndexName: range.index,
    ...rangeInput(range),
    ConsistentRead: range.index === undefined && consistent,
    ScanIndexForward: !range.descending,
    Limit: limit,
    ExclusiveStartKey: start,
    ...consumption,
  });
  const { Items = [], LastEvaluatedKey, ConsumedCapacity, $metadata } = await client.send(command, options);
  return { items: Items as Item[], next: LastEvaluatedKey, ...usageOf(ConsumedCapacity, $metadata) };
};

export const updateItem: DynamoDbCall<"update"> = async (
  { client, nameOf },
  { key, update, when, returns },
  options,
) => {
  const command = new UpdateCommand({
    TableName: nameOf(),
    Key: keyOf(key),
    ...updateInput(update, when),
    ReturnValues: returns === "new" ? "ALL_NEW" : "ALL_OLD",
    ...consumption,
  });
  const { Attributes, ConsumedCapacity, $metadata } = await client.send(command, options);
  return { item: Attributes as Item | undefined, ...usageOf(ConsumedCapacity, $metadata) };
};

export const deleteItem: DynamoDbCall<"delete"> = async ({ client, nameOf }, { key, when }, options) => {
  const command = new DeleteCommand({
    TableName: nameOf(),
    Key: keyOf(key),
    ...conditionInput(when),
    ...consumption,
  });
  const { ConsumedCapacity, $metadata } = await client.send(command, options);
  return { ...usageOf(ConsumedCapacity, $metadata) };
};

export const batchWriteItems: DynamoDbCall<"batchWrite"> = async ({ client, nameOf }, { puts, deletes }, options) => {
  const name = nameOf();
  const requests: WriteRequest[] = [
    ...puts.map((Item) => ({ PutRequest: { Item } })),
    ...deletes.map((key) => ({ DeleteRequest: { Key: keyOf(key) } })),
  ];
  const { UnprocessedItems, ConsumedCapacity, $metadata } = await client.send(
    new BatchWriteCommand({ RequestItems: { [name]: requests }, ...consumption }),
    options,
  );
  const unprocessed = UnprocessedItems?.[name] ?? [];
  return {
    unprocessed: {
      puts: unprocessed.flatMap(({ PutRequest }) => (PutRequest ? [PutRequest.Item as Item] : [])),
      deletes: unprocessed.flatMap(({ DeleteRequest }) => (DeleteRequest ? [DeleteRequest.Key as Key] : [])),
    },
    ...usageOf(ConsumedCapacity, $metadata),
  };
};

export const transactItems: DynamoDbCall<"transact"> = async ({ client, nameOf }, { writes, token }, options) => {
  const name = nameOf();
  const TransactItems = writes.map((write) => transactItem(name, write));
  const command = new TransactWriteCommand({ TransactItems, ClientRequestToken: token, ...consumption });
  const { ConsumedCapacity, $metadata } = await client.send(command, options).catch(withExistingItems);
  return { ...usageOf(ConsumedCapacity, $metadata) };
};

/** The table with all its calls. */
export const dynamoDbTable = (connection: TableConnection): Table => ({
  get: (request, options) => getItem(connection, request, options),
  batchGet: (request, options) => batchGetItems(connection, request, options),
  query: (request, options) => queryItems(connection, request, options),
  update: (request, options) => updateItem(connection, request, options),
  delete: (request, options) => deleteItem(connection, request, options),
  batchWrite: (request, options) => batchWriteItems(connection, request, options),
  transact: (request, options) => transactItems(connection, request, options),
});

type WriteRequest = NonNullable<BatchWriteCommandInput["RequestItems"]>[string][number];
type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

const operations = { put: "Put", update: "Update", delete: "Delete", check: "ConditionCheck" } as const;

const transactItem = (TableName: string, write: TableWrite): TransactItem =>
  ({
    [operations[write.kind]]: {
      TableName,
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      ...(write.kind === "put" ? { Item: write.item } : { Key: keyOf(write.key) }),
      ...(write.kind === "update" ? updateInput(write.update, write.when) : conditionInput(write.when)),
    },
  }) as TransactItem;

/** The document client unmarshalls the items in responses, but not those in exceptions. */
function withExistingItems(error: unknown): never {
  const { CancellationReasons: reasons = [] } = error as Partial<TransactionCanceledException>;
  for (const reason of reasons) if (reason.Item) Object.assign(reason, { existing: unmarshall(reason.Item) });
  throw error;
}
