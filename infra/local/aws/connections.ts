import type { Sockets } from "../sockets.ts";
import { AwsError, type AwsService, jsonError, jsonReply, readAll } from "./protocol.ts";

const gone = () => new AwsError("GoneException", "The connection is gone", { status: 410 });

/** API Gateway's management of WebSocket connections: REST-JSON, as far as the fleet uses it. */
export function connectionsEmulator({ post, end }: Pick<Sockets, "post" | "end">): AwsService {
  return {
    answer: async ({ method, path, bufferedBody, body }) => {
      const [, connectionId] = /^\/@connections\/([^/]+)$/.exec(decodeURIComponent(path)) ?? [];
      if (connectionId === undefined || (method !== "POST" && method !== "DELETE"))
        throw new AwsError("UnknownOperationException", `This emulator has no ${method} ${path}`);
      if (method === "DELETE") {
        if (!end(connectionId)) throw gone();
        return { status: 204 };
      }
      const status = post(connectionId, bufferedBody ?? (await readAll(body)));
      if (status === 410) throw gone();
      if (status === 413) throw new AwsError("PayloadTooLargeException", "The message is too large", { status });
      return jsonReply({});
    },
    formatError: (error) => jsonError(error),
  };
}
