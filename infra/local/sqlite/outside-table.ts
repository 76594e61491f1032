import {
  CreateTableCommand,
  type DynamoDBClient,
  type DynamoDBClientConfig,
  ResourceInUseException,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { connectTable, dynamoDbTable } from "../../../shared/base/table-port/dynamodb/table.ts";
import { tableShape } from "../../../shared/base/table-port/table-shape.ts";
import { CannotStartError } from "../data-folder.ts";
import type { OpenTable } from "./open-table.ts";

/**
 * The table in the DynamoDB at an address (DynamoDB Local, another emulator or AWS), in place of a file. Its region is
 * that of the environment at the time of the call, because the host later sets its own there.
 */
export async function openOutsideTable(endpoint: string): Promise<OpenTable> {
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new CannotStartError(
      `SKEIN_TABLE_ENDPOINT must be an address such as http://127.0.0.1:8000, but is "${endpoint}".`,
    );
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION = "us-east-1" } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new CannotStartError(
      "SKEIN_TABLE_ENDPOINT needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; emulators accept any.",
    );
  const options: DynamoDBClientConfig = {
    endpoint,
    region: AWS_REGION,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
  const connection = connectTable(options);
  const name = await provisionTable(connection.client).catch((error: Error) => {
    throw new CannotStartError(`the table can be neither created nor found (${error.name}: ${error.message})`);
  });
  return {
    table: dynamoDbTable({ ...connection, nameOf: () => name }),
    environment: { AWS_ENDPOINT_URL_DYNAMODB: endpoint, TABLE_NAME: name },
    close: async () => connection.client.destroy(),
  };
}

/** Creates the table unless it exists; returns its name. */
export async function provisionTable(client: DynamoDBClient, name = "skein"): Promise<string> {
  const { partitionKey, sortKey, indexes } = tableShape;
  const keyPairs = [{ partitionKey, sortKey }, ...indexes];
  const schema = (keys: { partitionKey: string; sortKey: string }) => [
    { AttributeName: keys.partitionKey, KeyType: "HASH" as const },
    { AttributeName: keys.sortKey, KeyType: "RANGE" as const },
  ];
  const table = {
    TableName: name,
    BillingMode: "PAY_PER_REQUEST" as const,
    KeySchema: schema(tableShape),
    AttributeDefinitions: keyPairs
      .flatMap((keys) => [keys.partitionKey, keys.sortKey])
      .map((AttributeName) => ({ AttributeName, AttributeType: "S" as const })),
    GlobalSecondaryIndexes: indexes.map(({ name, projection, ...keys }) => ({
      IndexName: name,
      KeySchema: schema(keys),
      Projection: { ProjectionType: projection },
    })),
  };
  await client.send(new CreateTableCommand(table)).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error;
  });
  // AWS creates a table in the background.
  await waitUntilTableExists({ client, minDelay: 1, maxWaitTime: 300 }, { TableName: name });
  return name;
}
