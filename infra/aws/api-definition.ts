import type { Route } from "../../shared/services/http/fallback.ts";
import { cors } from "../cors.ts";

/** What API Gateway does with the requests of a route: OpenAPI's extension x-amazon-apigateway-integration. */
export type Integration = Readonly<Record<string, unknown>>;

export interface IntegratedRoute extends Route {
  integration: Integration;
}

export interface ApiRoutes {
  /** No two paths may differ in the names of their variables only: OpenAPI has these for the same path. */
  routes: readonly IntegratedRoute[];
  /** Where requests go that match no route; without it API Gateway answers with 404 itself. */
  fallback: Integration | undefined;
}

/**
 * The whole HTTP API as the OpenAPI document that API Gateway imports in one operation. Resources of CloudFormation for each
 * route would modify one API concurrently, which API Gateway refuses with 409.
 */
export function apiDefinition(name: string, { routes, fallback }: ApiRoutes, closesOwnAddress: boolean) {
  const paths = Map.groupBy(routes, ({ path }) => path);
  return {
    openapi: "3.0.1",
    info: { title: name, version: "1" },
    ...(closesOwnAddress && {
      servers: [{ "x-amazon-apigateway-endpoint-configuration": { disableExecuteApiEndpoint: true } }],
    }),
    paths: {
      ...Object.fromEntries([...paths].map(([path, ofPath]) => [path, pathItem(path, ofPath)])),
      ...(fallback && {
        "/$default": { "x-amazon-apigateway-any-method": { isDefaultRoute: true, ...operation(fallback) } },
      }),
    },
    // The gateway answers preflights itself, so that no function runs.
    "x-amazon-apigateway-cors": {
      allowOrigins: [cors.origin],
      allowMethods: cors.methods,
      allowHeaders: cors.requestHeaders,
      exposeHeaders: cors.exposedHeaders,
      maxAge: cors.maxAgeSeconds,
    },
    "x-amazon-apigateway-importexport-version": "1.0",
  };
}

function pathItem(path: string, routes: readonly IntegratedRoute[]) {
  // API Gateway's own exports name a variable that takes several segments with its plus sign.
  const variables = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return {
    ...(variables.length > 0 && {
      parameters: variables.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })),
    }),
    ...Object.fromEntries(
      routes.map(({ method, integration }) => [method.toLowerCase(), operation(integration)] as const),
    ),
  };
}

const operation = (integration: Integration) => ({
  responses: { default: { description: "-" } },
  "x-amazon-apigateway-integration": integration,
});
