import {
  DescribeTableCommand,
  DynamoDBClient,
  UpdateTableCommand,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";

/** Switches a table's protection from deletion on or off, unless it already is. */
export async function setDeletionProtection(TableName: string, enabled: boolean): Promise<void> {
  const client = new DynamoDBClient({});
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (Boolean(Table?.DeletionProtectionEnabled) === enabled) return;
  await client.send(new UpdateTableCommand({ TableName, DeletionProtectionEnabled: enabled }));
  // A table that is being updated cannot be deleted.
  await waitUntilTableExists({ client, maxWaitTime: 60 }, { TableName });
}
