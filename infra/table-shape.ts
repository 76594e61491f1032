import type { CreateTableCommandInput } from "@aws-sdk/client-dynamodb";

/** The one table, as both hosts create it: string keys, two full indexes and one of keys alone. */

export const tableIndexes = { gsi1: "ALL", gsi2: "ALL", gsi3: "KEYS_ONLY" } as const;

/** The attribute by which DynamoDB lets items expire, in UNIX seconds. */
export const expiryAttribute = "expiresAt";

const names = Object.keys(tableIndexes) as (keyof typeof tableIndexes)[];
const text = (AttributeName: string) => ({ AttributeName, AttributeType: "S" as const });
const keySchema = (prefix: string) => [
  { AttributeName: `${prefix}pk`, KeyType: "HASH" as const },
  { AttributeName: `${prefix}sk`, KeyType: "RANGE" as const },
];

export const tableShape = {
  BillingMode: "PAY_PER_REQUEST",
  KeySchema: keySchema(""),
  AttributeDefinitions: ["", ...names].flatMap((prefix) => [text(`${prefix}pk`), text(`${prefix}sk`)]),
  GlobalSecondaryIndexes: names.map((IndexName) => ({
    IndexName,
    KeySchema: keySchema(IndexName),
    Projection: { ProjectionType: tableIndexes[IndexName] },
  })),
} satisfies Omit<CreateTableCommandInput, "TableName">;
