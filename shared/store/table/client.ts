import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { observed } from "../../aws/observe.ts";
import { checkTimeLeft } from "./time-limit.ts";

let client: DynamoDBDocumentClient | undefined;

/** The client of the table that the environment names, for one call. Throws when the running request's time is over. */
export function db(): DynamoDBDocumentClient {
  checkTimeLeft();
  client ??= connect();
  return client;
}

/**
 * A new document client, whose calls the host's observers see. Plain values become attributes: a property that is
 * undefined is left out, a Set becomes a set, bytes stay bytes, and a number that a double cannot hold exactly is refused.
 */
export const connect = (config: DynamoDBClientConfig = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(observed(new DynamoDBClient(config)), {
    marshallOptions: { removeUndefinedValues: true },
  });
