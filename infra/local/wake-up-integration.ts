import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { EndpointMember } from "../fleet.ts";
import { type WakeUpRoute, wakeUpRoutes } from "../waiting.ts";
import { AwsError } from "./aws/error.ts";
import type { SourceQueue } from "./event-source.ts";
import { router } from "./routes.ts";

/** Emulates API Gateway's direct integration with SQS, as far as wake-up routes use it: mapped parameters and responses. */

/**
 * The reply to a request for a wake-up route; undefined for any other request. `disconnected` returns a signal that aborts
 * when the client disconnects.
 */
export type WakeUpIntegration = (
  method: string,
  pathname: string,
  disconnected: () => AbortSignal,
) => Promise<APIGatewayProxyStructuredResultV2> | undefined;

export function wakeUpIntegration(wakeUpQueuesUrl: string, receive: SourceQueue["receiveMessage"]): WakeUpIntegration {
  const findRoute = router(
    wakeUpRoutes.map((route) => ({ spec: { ...route, prefix: "" } }) as unknown as EndpointMember),
  );
  const routesByKey = new Map(wakeUpRoutes.map((route) => [`${route.method} ${route.path}`, route]));
  return (method, pathname, disconnected) => {
    const { routeKey = "", pathParameters = {} } = findRoute(method, pathname)?.route ?? {};
    const route = routesByKey.get(routeKey);
    return (
      route &&
      receiveMapped(receive, route, fillParameters(route.request(wakeUpQueuesUrl), pathParameters), disconnected())
    );
  };
}

async function receiveMapped(
  receive: SourceQueue["receiveMessage"],
  { responses }: WakeUpRoute,
  parameters: Record<string, string>,
  disconnected: AbortSignal,
) {
  const { QueueUrl, ...numbers } = parameters;
  const options = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  try {
    return mapResponse(responses, 200, JSON.stringify(await receive({ QueueUrl, ...options }, disconnected)));
  } catch (error) {
    const status = error instanceof AwsError ? error.$metadata.httpStatusCode : 500;
    return mapResponse(responses, status, JSON.stringify({ message: String(error) }));
  }
}

/** Fills in `${request.path.<name>}`, the only part of API Gateway's mapping notation that wake-up routes use. */
const fillParameters = (mapping: Record<string, string>, path: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{request\.path\.(\w+)\}/g, (_, parameter: string) => path[parameter] ?? ""),
    ]),
  );

function mapResponse(
  responses: WakeUpRoute["responses"],
  status: number,
  body: string,
): APIGatewayProxyStructuredResultV2 {
  const changes = responses[String(status)] ?? {};
  const headers = Object.entries(changes).flatMap(([change, value]) =>
    change.startsWith("overwrite:header.") ? [[change.slice("overwrite:header.".length), value]] : [],
  );
  return {
    statusCode: Number(changes["overwrite:statuscode"] ?? status),
    headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
    body,
  };
}
