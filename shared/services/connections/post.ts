import {
  ApiGatewayManagementApiClient,
  DeleteConnectionCommand,
  GoneException,
  PostToConnectionCommand,
} from "@aws-sdk/client-apigatewaymanagementapi";
import { observed } from "../../base/aws/observe.ts";
import { connectionsUrl } from "../../base/environment.ts";

/** Posting to the connections of the fleet's WebSocket API, and ending them. */

/** API Gateway bills a message for each 32 KB. */
export const maxMessageBytes = 32 * 1024;

let client: ApiGatewayManagementApiClient | undefined;

/** The API's own address. On one machine there is none: the host answers the calls (infra/local/connection-calls.ts). */
function management(): ApiGatewayManagementApiClient {
  const endpoint = connectionsUrl()?.replace(/^ws/, "http");
  client ??= observed(new ApiGatewayManagementApiClient(endpoint === undefined ? {} : { endpoint }));
  return client;
}

/** Posts a message as JSON text. False if the connection is gone. */
export async function postToConnection(ConnectionId: string, message: object): Promise<boolean> {
  try {
    await management().send(new PostToConnectionCommand({ ConnectionId, Data: Buffer.from(JSON.stringify(message)) }));
    return true;
  } catch (error) {
    if (error instanceof GoneException) return false;
    throw error;
  }
}

/** Idempotent. */
export async function endConnection(ConnectionId: string): Promise<void> {
  try {
    await management().send(new DeleteConnectionCommand({ ConnectionId }));
  } catch (error) {
    if (!(error instanceof GoneException)) throw error;
  }
}
