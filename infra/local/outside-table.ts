import type { DynamoDBClientConfig } from "@aws-sdk/client-dynamodb";
import { CannotStartError } from "./data-folder.ts";
import type { Engine } from "./engine.ts";

/**
 * The DynamoDB at an address (DynamoDB Local, another emulator or AWS), in place of the embedded engine. Its credentials and
 * region are those of the environment at the time of the call, because the host later sets its emulators' own there.
 */
export function outsideTable(endpoint: string): Engine {
  if (!URL.canParse(endpoint) || !/^https?:$/.test(new URL(endpoint).protocol))
    throw new CannotStartError(
      `SKEIN_TABLE_ENDPOINT must be an address such as http://127.0.0.1:8000, but is "${endpoint}".`,
    );
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION = "us-east-1" } = process.env;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY)
    throw new CannotStartError(
      "SKEIN_TABLE_ENDPOINT needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; emulators accept any.",
    );
  const clientOptions: DynamoDBClientConfig = {
    endpoint,
    region: AWS_REGION,
    credentials: {
      accessKeyId: AWS_ACCESS_KEY_ID,
      secretAccessKey: AWS_SECRET_ACCESS_KEY,
      ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
    },
  };
  return { url: endpoint, clientOptions, stop: async () => {} };
}
