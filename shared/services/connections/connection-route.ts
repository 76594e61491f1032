import { isUnavailable } from "../../base/aws/unavailable.ts";
import { ApiError, internalError, serviceUnavailable } from "../../base/errors.ts";
import { describeError } from "../../base/observability/describe-error.ts";
import type { Uses } from "../../base/uses.ts";
import { invocation } from "../../store/table/invocation.ts";

/** The path of connections to a host that serves them itself. */
export const connectionsPath = "/connections";

/** API Gateway's event for a WebSocket connection, as far as it is used. */
export interface ConnectionEvent {
  requestContext: {
    connectionId: string;
    requestId: string;
    identity?: { sourceIp?: string };
  };
  /** Only when the connection is opened. */
  headers?: Record<string, string | undefined>;
  queryStringParameters?: Record<string, string | undefined> | null;
  /** Only for a message. */
  body?: string | null;
}

interface ConnectionRequest {
  connectionId: string;
  sourceIp: string;
  /** Names are in lower case. */
  headers: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
  /** The message's text. */
  body: string;
}

export interface ConnectionRouteSpec {
  /** What invokes the function: a client that connects, or any message of a connected client. */
  route: "$connect" | "$default";
  /** One sentence for the reference documentation. */
  summary: string;
  uses: Uses;
}

/** How a request ended. */
interface Answer {
  statusCode: number;
  userId?: number | undefined;
}

/**
 * A Lambda handler for one route of the fleet's WebSocket API that carries its declaration. `run` returns the user of the
 * connection. An error that it throws while a client connects refuses the connection; `onError` tells the client of any other.
 */
export function connectionRoute(
  spec: ConnectionRouteSpec,
  run: (request: ConnectionRequest) => Promise<number | undefined>,
  onError: (request: ConnectionRequest, error: ApiError) => Promise<void> = async () => {},
) {
  const handler = async (event: ConnectionEvent): Promise<{ statusCode: number }> => {
    const { requestId } = event.requestContext;
    const request = requestOf(event);
    const answer = async (): Promise<Answer> => {
      try {
        return { statusCode: 200, userId: await run(request) };
      } catch (error) {
        const known = error instanceof ApiError;
        if (!known) console.error(JSON.stringify({ requestId, connection: spec.route, error: describeError(error) }));
        const reported = known ? error : isUnavailable(error) ? serviceUnavailable() : internalError();
        await onError(request, reported).catch((failure: unknown) =>
          console.error(JSON.stringify({ requestId, connection: spec.route, error: describeError(failure) })),
        );
        return { statusCode: reported.status };
      }
    };
    const { statusCode } = await invocation(answer, ({ statusCode: status, userId }) => ({
      requestId,
      endpoint: `connection ${spec.route}`,
      status,
      userId,
    }));
    return { statusCode };
  };
  return Object.assign(handler, { kind: "connection" as const, spec });
}

const requestOf = ({ requestContext, headers, queryStringParameters, body }: ConnectionEvent): ConnectionRequest => ({
  connectionId: requestContext.connectionId,
  sourceIp: requestContext.identity?.sourceIp ?? "",
  // API Gateway passes headers as the client wrote them.
  headers: Object.fromEntries(Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])),
  query: queryStringParameters ?? {},
  body: body ?? "",
});
