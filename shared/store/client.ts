import { DynamoDBClient, type DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { straight } from "../aws-json.ts";
import { readReply } from "./replies.ts";

/** The table's client. What its calls carry has the form in which it travels already (`attributes.ts`, `replies.ts`). */

let client: DynamoDBClient | undefined;
export const db = () => (client ??= connect());

/** A client of one's own; without `config`, of the table that the environment names. */
export const connect = (config: DynamoDBClientConfig = {}): DynamoDBClient =>
  // The chain of middleware is the same for every call of a kind: it is put together once.
  straight(new DynamoDBClient({ ...config, cacheMiddleware: true }), "dynamodb", readReply);
