import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { methodNotAllowed, pathNotFound } from "../../base/errors.ts";
import { currentHost } from "../../base/host.ts";
import { ProcessCache, readThrough } from "../../base/process-cache.ts";
import type { Uses } from "../../base/uses.ts";
import { envelope, runEnveloped, withSecurityHeaders } from "./envelope.ts";
import type { HttpEvent } from "./event.ts";

export interface Route {
  method: string;
  /** In API Gateway's notation, with the prefix. */
  path: string;
}

const routeCache = new ProcessCache<"routes", Promise<Route[]>>({ minRetained: 1 });

/** The routes of all endpoints, from the list that the build writes. */
const fleetRoutes = () =>
  readThrough(routeCache, "routes", async () => {
    const packed = await currentHost().builtFile("routes.json");
    return JSON.parse((await promisify(gunzip)(packed)).toString("utf8")) as Route[];
  });

/** The handler of the `$default` route: requests that match no endpoint get a 404 or 405 in the envelope, OPTIONS a 204. */
export function fallback() {
  const name = "unknown route";
  const stack = middy<HttpEvent, unknown>()
    .use(envelope(name))
    .handler(async (event: HttpEvent) => {
      const allowed = await methodsOf(event.rawPath);
      if (allowed.length === 0) throw pathNotFound();
      throw methodNotAllowed(allowed);
    });
  const handler = async (event: HttpEvent, context: Context): Promise<APIGatewayProxyStructuredResultV2> => {
    const allowed = event.requestContext.http.method === "OPTIONS" ? await methodsOf(event.rawPath) : [];
    if (allowed.length > 0)
      return withSecurityHeaders({ statusCode: 204, headers: { allow: allowed.join(", ") } }, event);
    return runEnveloped(name, stack, event, context);
  };
  const uses: Uses = { built: ["routes.json"] };
  return Object.assign(handler, { kind: "fallback" as const, spec: { uses } });
}

/** The methods of a path. A route with a parameter does not count where another has the path's own text. */
async function methodsOf(path: string): Promise<string[]> {
  const found = (await fleetRoutes()).filter((route) => matches(route.path, path));
  const ranks = found.map((route) => rank(route.path));
  const [best] = ranks.toSorted();
  return [...new Set(found.filter((_, index) => ranks[index] === best).map(({ method }) => method))].sort();
}

/** Orders the routes that a path matches as gateways do: literal parts before parameters, and those before a greedy one. */
const rank = (route: string) =>
  route
    .split("/")
    .map((part) => (part.endsWith("+}") ? 2 : part.startsWith("{") ? 1 : 0))
    .join("");

/** Whether a path matches a route. `{name}` stands for one part of the path, a final `{name+}` for one or more. */
function matches(route: string, path: string): boolean {
  const [routeParts, pathParts] = [route.split("/"), path.split("/")];
  const hasLength = route.endsWith("+}")
    ? pathParts.length >= routeParts.length
    : pathParts.length === routeParts.length;
  return (
    hasLength &&
    routeParts.every((part, index) => (part.startsWith("{") ? pathParts[index] !== "" : part === pathParts[index]))
  );
}
