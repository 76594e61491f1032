import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { padded } from "../../shared/store/keys.ts";
import type { PrivateHost } from "./private-host.ts";

/** The table of a private host, past its functions. */
export function tableOf({ environment }: PrivateHost): DynamoDBClient {
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_DYNAMODB: endpoint = "" } = environment;
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
  return new DynamoDBClient({ region, endpoint, credentials: { accessKeyId, secretAccessKey } });
}

export const presenceOf = (userId: number) => ({ pk: { S: "PRESENCE" }, sk: { S: padded(userId) } });
export const secondsAgo = (seconds: number) => ({ N: String(Math.floor(Date.now() / 1000) - seconds) });

/** So many have been there, of whom nothing else is known: presence is kept as in an organization of as many. */
export async function haveBeenThere(table: DynamoDBClient, others: number): Promise<void> {
  for (let userId = 9_000_000; userId < 9_000_000 + others; userId++) {
    const times = { lastActive: secondsAgo(90), lastConnected: secondsAgo(90) };
    const Item = { ...presenceOf(userId), userId: { N: String(userId) }, ...times, updateId: { N: "1" } };
    await table.send(new PutItemCommand({ TableName: "skein", Item }));
  }
}
