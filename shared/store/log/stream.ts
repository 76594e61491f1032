import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBRecord } from "aws-lambda";
import type { LogEvent } from "../../base/schema/event-types.ts";
import type { LogEntry } from "./entry.ts";
import { cacheEntries } from "./entry-cache.ts";
import { entryOf, type StoredEntry } from "./stored-entry.ts";

/** The log's entries in the table's DynamoDB stream. */

/**
 * Event filters that match the log's entries, of the given types or of all. Lambda does not invoke the function for other
 * writes. A compressed event always matches, because its type is not visible.
 */
export function entriesFilters(events?: readonly LogEvent["type"][]): object[] {
  const Keys = { pk: { S: [{ prefix: "LOG#" }] } };
  const withImage = (NewImage?: object) => ({
    eventName: ["INSERT"],
    dynamodb: { Keys, ...(NewImage && { NewImage }) },
  });
  if (!events) return [withImage()];
  return [
    withImage({ event: { M: { type: { S: [...events] } } } }),
    withImage({ packedEvent: { B: [{ exists: true }] } }),
  ];
}

/** The log entries among the stream's records, which readers of the log find from now on without reading them. */
export function receiveEntries(records: readonly DynamoDBRecord[]): LogEntry[] {
  const entries = entriesIn(records);
  cacheEntries(entries);
  return entries;
}

const entriesIn = (records: readonly DynamoDBRecord[]): LogEntry[] =>
  records.flatMap(({ dynamodb }) => {
    if (!dynamodb?.NewImage) return [];
    const { packedEvent, ...entry } = unmarshall(dynamodb.NewImage as Parameters<typeof unmarshall>[0]);
    // Lambda passes records as JSON, in which binary values are base64.
    const bytes = packedEvent && { packedEvent: Buffer.from(packedEvent, "base64") };
    return entryOf({ ...entry, ...bytes } as StoredEntry);
  });
