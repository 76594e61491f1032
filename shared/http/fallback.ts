import middy from "@middy/core";
import type { APIGatewayProxyStructuredResultV2 } from "aws-lambda";
import { methodNotAllowed, pathNotFound } from "../errors.ts";
import { traced } from "../trace.ts";
import type { Uses } from "../uses.ts";
import { envelope } from "./envelope.ts";
import type { HttpEvent } from "./event.ts";

export interface Route {
  method: string;
  /** In API Gateway's notation, with the prefix. */
  path: string;
}

/** The fleet's routes as JSON: put into the bundle by the build, and into the process by the local host. */
declare const SKEIN_ROUTES: string | undefined;

/** The handler of the `$default` route: what no endpoint answers gets its 404 or 405 in the envelope, OPTIONS a 204. */
export function fallback() {
  const stack = middy<HttpEvent, any>()
    .use(envelope("unknown route"))
    .handler(async (event: HttpEvent) => {
      const allowed = methodsOf(event.rawPath);
      if (allowed.length === 0) throw pathNotFound();
      throw methodNotAllowed(allowed);
    });
  const handler = async (event: HttpEvent, context: any): Promise<APIGatewayProxyStructuredResultV2> => {
    const allowed = event.requestContext.http.method === "OPTIONS" ? methodsOf(event.rawPath) : [];
    if (allowed.length > 0) return { statusCode: 204, headers: { allow: allowed.join(", ") } };
    return (await traced(() => stack(event, context))).result;
  };
  const uses: Uses = {};
  return Object.assign(handler, { kind: "fallback" as const, spec: { uses } });
}

/** Methods of the routes that a path matches, sorted. */
function methodsOf(path: string): string[] {
  const routes: Route[] = JSON.parse((typeof SKEIN_ROUTES === "undefined" ? undefined : SKEIN_ROUTES) ?? "[]");
  return [...new Set(routes.filter((route) => matches(route.path, path)).map(({ method }) => method))].sort();
}

function matches(route: string, path: string): boolean {
  const [wanted, given] = [route.split("/"), path.split("/")];
  const long = route.endsWith("+}") ? given.length >= wanted.length : given.length === wanted.length;
  return long && wanted.every((part, index) => (part.startsWith("{") ? given[index] !== "" : part === given[index]));
}
