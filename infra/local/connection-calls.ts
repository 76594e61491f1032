import { GoneException, PayloadTooLargeException } from "@aws-sdk/client-apigatewaymanagementapi";
import { observeAwsCalls } from "../../shared/base/aws/observe.ts";
import type { Sockets } from "./sockets.ts";

/** From now on answers the calls of API Gateway's management of WebSocket connections: the sockets are in this process. */
export function answerConnectionCalls({ post, end }: Pick<Sockets, "post" | "end">): void {
  observeAwsCalls(async ({ client, command, input }, proceed) => {
    if (client !== "ApiGatewayManagementApiClient") return proceed();
    const connectionId = String(input.ConnectionId);
    const status = command === "DeleteConnectionCommand" ? end(connectionId) : post(connectionId, input.Data as Buffer);
    if (status === 410) throw new GoneException({ message: "The connection is gone", $metadata: {} });
    if (status === 413) throw new PayloadTooLargeException({ message: "The message is too large", $metadata: {} });
    return { output: {} };
  });
}
