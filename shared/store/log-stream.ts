import type { DynamoDBRecord } from "aws-lambda";
import { fromAttributes } from "./attributes.ts";
import type { LogEntry } from "./log-memory.ts";
import { entryOf, type StoredEntry } from "./log-tail.ts";

/** The table's stream: what has been written to the log, as DynamoDB tells of it. */

/** Picks the log's entries among all that is written: Lambda looks at nothing else and is not woken by it. */
export const entriesFilter = { eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "LOG#" }] } } } };

/** The entries in some records of the stream. */
export const entriesIn = (records: readonly DynamoDBRecord[]): LogEntry[] =>
  records.flatMap(({ dynamodb }) =>
    dynamodb?.NewImage ? entryOf(fromAttributes<StoredEntry>(dynamodb.NewImage as never)) : [],
  );
