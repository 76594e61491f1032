import { type DynamoDBDocumentClient, PutCommand } from "@aws-sdk/lib-dynamodb";
import { padded } from "../../../shared/store/table/keys.ts";
import { connect } from "../../../shared/table/dynamodb/table.ts";
import type { PrivateHost } from "../hosts/private-host.ts";

/** A client for the table of a private host. */
export function tableOf({ environment }: Pick<PrivateHost, "environment">): DynamoDBDocumentClient {
  const { AWS_REGION: region = "", AWS_ENDPOINT_URL_DYNAMODB: endpoint = "" } = environment;
  const { AWS_ACCESS_KEY_ID: accessKeyId = "", AWS_SECRET_ACCESS_KEY: secretAccessKey = "" } = environment;
  return connect({ region, endpoint, credentials: { accessKeyId, secretAccessKey } });
}

export const presenceOf = (userId: number) => ({ pk: "PRESENCE", sk: padded(userId) });
export const secondsAgo = (seconds: number) => Math.floor(Date.now() / 1000) - seconds;

/** Writes the presence of `count` users who have no account, so that presence is stored as in a large organization. */
export async function seedPresence(table: DynamoDBDocumentClient, count: number): Promise<void> {
  for (let userId = 9_000_000; userId < 9_000_000 + count; userId++) {
    const times = { lastActive: secondsAgo(90), lastConnected: secondsAgo(90) };
    const Item = { ...presenceOf(userId), userId, ...times, updateId: 1 };
    await table.send(new PutCommand({ TableName: "skein", Item }));
  }
}
