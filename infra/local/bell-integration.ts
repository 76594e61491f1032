import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import type { EndpointMember } from "../fleet.ts";
import { bellRequest, bellResponses, bellRoute } from "../waiting.ts";
import { AwsError } from "./aws/protocol.ts";
import type { AwsEmulator } from "./aws/server.ts";
import { router } from "./routes.ts";

/** API Gateway's direct integration with SQS, as far as bells use it: mapped parameters in, a mapped answer out. */

/** The answer of the bells' route to a request, or undefined where the request is for another. `gone` tells that the client has left. */
export type BellIntegration = (
  method: string,
  pathname: string,
  gone: () => AbortSignal,
) => Promise<APIGatewayProxyStructuredResultV2> | undefined;

export function bellIntegration(bellsUrl: string, receive: AwsEmulator["receiveMessage"]): BellIntegration {
  const find = router([{ spec: { ...bellRoute, prefix: "" } } as unknown as EndpointMember]);
  const mapping = bellRequest(bellsUrl);
  return (method, pathname, gone) => {
    const found = find(method, pathname);
    return found && answer(receive, mapped(mapping, found.route.pathParameters), gone());
  };
}

async function answer(receive: AwsEmulator["receiveMessage"], parameters: Record<string, string>, gone: AbortSignal) {
  const { QueueUrl, ...numbers } = parameters;
  const options = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, Number(value)]));
  try {
    return answered(200, JSON.stringify(await receive({ QueueUrl, ...options }, gone)));
  } catch (error) {
    const status = error instanceof AwsError ? error.status : 500;
    return answered(status, JSON.stringify({ message: String(error) }));
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

function answered(status: number, body: string): APIGatewayProxyStructuredResultV2 {
  const changes = bellResponses[String(status)] ?? {};
  const headers = Object.entries(changes).flatMap(([change, value]) =>
    change.startsWith("overwrite:header.") ? [[change.slice("overwrite:header.".length), value]] : [],
  );
  return {
    statusCode: Number(changes["overwrite:statuscode"] ?? status),
    headers: { "content-type": "application/json", ...Object.fromEntries(headers) },
    body,
  };
}
