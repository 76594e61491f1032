import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { EndpointMember } from "../fleet.ts";
import { type BellRoute, bellRoutes } from "../waiting.ts";
import { AwsError } from "./aws/protocol.ts";
import type { AwsEmulator } from "./aws/server.ts";
import { router } from "./routes.ts";

/** API Gateway's direct integration with SQS, as far as bells use it: mapped parameters in, a mapped answer out. */

/** The answer of a place where clients wait to a request, or undefined where the request is for no such place. `gone` tells that the client has left. */
export type BellIntegration = (
  method: string,
  pathname: string,
  gone: () => AbortSignal,
) => Promise<APIGatewayProxyStructuredResultV2> | undefined;

export function bellIntegration(bellsUrl: string, receive: AwsEmulator["receiveMessage"]): BellIntegration {
  const find = router(bellRoutes.map((route) => ({ spec: { ...route, prefix: "" } }) as unknown as EndpointMember));
  const mappings = new Map(bellRoutes.map((route) => [`${route.method} ${route.path}`, route]));
  return (method, pathname, gone) => {
    const { routeKey = "", pathParameters = {} } = find(method, pathname)?.route ?? {};
    const place = mappings.get(routeKey);
    return place && answer(receive, place, mapped(place.request(bellsUrl), pathParameters), gone());
  };
}

async function answer(
  receive: AwsEmulator["receiveMessage"],
  { responses }: BellRoute,
  parameters: Record<string, string>,
  gone: AbortSignal,
) {
  const { QueueUrl, ...numbers } = parameters;
  const options = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  try {
    return answered(responses, 200, JSON.stringify(await receive({ QueueUrl, ...options }, gone)));
  } catch (error) {
    const status = error instanceof AwsError ? error.status : 500;
    return answered(responses, status, JSON.stringify({ message: String(error) }));
  }
}

/** Static text with `${request.path.<name>}` in it, which is all of API Gateway's notation that the bells' mapping uses. */
const mapped = (mapping: Record<string, string>, path: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(mapping).map(([name, value]) => [
      name,
      value.replaceAll(/\$\{request\.path\.(\w+)\}/g, (_, parameter: string) => path[parameter] ?? ""),
    ]),
  );

function answered(responses: BellRoute["responses"], status: number, body: string): APIGatewayProxyStructuredResultV2 {
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
