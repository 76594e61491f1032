import { observeAwsCalls } from "../../shared/aws/observe.ts";
import type { PostStatus, Sockets } from "./sockets.ts";

/**
 * Answers this process's calls of API Gateway's management of WebSocket connections: connections and functions are in one process,
 * and a call by HTTP for each post would cost more than all other steps of it.
 */
export function answerConnectionCalls({ post, end }: Pick<Sockets, "post" | "end">): void {
  const answers: Record<string, (input: Record<string, unknown>) => PostStatus> = {
    PostToConnectionCommand: ({ ConnectionId, Data }) => post(ConnectionId as string, Data as Buffer),
    DeleteConnectionCommand: ({ ConnectionId }) => (end(ConnectionId as string) ? 200 : 410),
  };
  observeAwsCalls(async ({ client, command, input }, proceed) => {
    if (client !== "ApiGatewayManagementApiClient") return proceed();
    const status = answers[command]?.(input);
    if (status === 200) return { output: {} };
    const { GoneException, PayloadTooLargeException } = await import("@aws-sdk/client-apigatewaymanagementapi");
    if (status === 410) throw new GoneException({ message: "The connection is gone", $metadata: {} });
    if (status === 413) throw new PayloadTooLargeException({ message: "The message is too large", $metadata: {} });
    throw new Error(`This host does not answer ${command}`);
  });
}
