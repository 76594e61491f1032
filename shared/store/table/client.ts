import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { observed } from "../../aws/observe.ts";
import { currentHost } from "../../host.ts";
import { checkTimeLeft } from "./time-limit.ts";

let client: DynamoDBDocumentClient | undefined;

/** The process's DynamoDB client. Get it for each call: throws when the running request's time limit has passed. */
export function db(): DynamoDBDocumentClient {
  checkTimeLeft();
  client ??= connect(currentHost().tableClientOptions);
  return client;
}

/**
 * A new document client, whose calls the host can observe. It converts plain values to attributes: undefined properties are
 * left out, a Set becomes a DynamoDB set, and a number that a double cannot hold exactly is rejected.
 */
export const connect = (config: DynamoDBClientConfig = {}): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(observed(new DynamoDBClient(config)), {
    marshallOptions: { removeUndefinedValues: true },
  });
