import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { declarationOf, type ErrorName, errorCatalogue } from "../../shared/base/errors.ts";
import { featureLevel } from "../../shared/base/limits.ts";
import { type JsonSchema, objectOf, withoutMaxItems } from "../../shared/base/schema/json-schema.ts";
import { list, optional, text } from "../../shared/base/schema/params.ts";
import type { Integration } from "../../shared/features/integrations/integration.ts";
import type { CallerKind } from "../../shared/services/http/authenticate.ts";
import type { EndpointSpec } from "../../shared/services/http/endpoint.ts";
import { type EndpointMember, pathOf } from "../fleet.ts";
import { creationLimitsTable, creationNote } from "./creation-limits.ts";
import { declaredErrors } from "./declared-errors.ts";
import { eventComponents } from "./events.ts";
import { gatewayErrors, gatewayReferences, gatewayResponses, gatewaySchemas } from "./gateway.ts";
import { integrationsDirectory } from "./integrations.ts";
import { overview } from "./overview.ts";
import { bodyOf, parametersOf } from "./parameters.ts";

/** The OpenAPI 3.1 document of the endpoints, generated from their declarations; it also describes events and errors. */
export function openapiOf(
  endpoints: readonly EndpointMember[],
  integrations: readonly (readonly [string, Integration])[],
): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>();
  for (const { name, resource, spec } of endpoints) {
    tags.add(tagOf(resource));
    const path = pathOf(spec).replaceAll("+}", "}");
    const operations = paths[path] ?? {};
    operations[spec.method.toLowerCase()] = {
      operationId: camelCased(name),
      tags: [tagOf(resource)],
      summary: spec.summary,
      description: [descriptionOf(spec), ...(spec.webhook ? [integrationsDirectory(integrations)] : [])].join("\n\n"),
      security: securityOf(spec),
      parameters: parametersOf(spec),
      requestBody: bodyOf(spec),
      responses: responsesOf(spec),
    };
    paths[path] = operations;
  }
  return {
    openapi: "3.1.1",
    info: {
      title: "Skein",
      version: `${productVersion()}+${featureLevel}`,
      summary: `Team chat; Zulip's API at feature level ${featureLevel}.`,
      description: `${overview}\n\n${creationLimitsTable()}`,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "basic", description: "The email address, and the API key as the password." },
        botKey: { type: "apiKey", in: "query", name: "api_key", description: "A bot's API key." },
        agentKey: { type: "http", scheme: "bearer", description: "The key of an agent (docs/agents.md)." },
        scimToken: { type: "http", scheme: "bearer", description: "The token that the operator has set for SCIM." },
      },
      schemas: { ...errorSchemas(), ...gatewaySchemas, ...eventComponents() },
      responses: {
        ...Object.fromEntries(fallbackErrors.map((name) => [name, errorResponse(declarationOf(name).status, [name])])),
        ...gatewayResponses,
      },
    },
  };
}

/** The errors of the fallback function, which answers requests that match no operation. */
const fallbackErrors: ErrorName[] = ["NOT_FOUND", "METHOD_NOT_ALLOWED"];

const whoMayCall: Record<CallerKind, string> = {
  anyone: "Anyone may call, without credentials.",
  visitor: "Users may call; so may anyone without credentials, if the organization allows spectators.",
  user: "Any user or bot may call.",
  human: "Any user may call; bots may not.",
  member: "Any user or bot may call; guests may not.",
  admin: "Administrators and owners may call.",
  owner: "Owners may call.",
  scim: "The organization's SCIM client may call, by its token. Errors have SCIM's form (RFC 7644, 3.12).",
};

const descriptionOf = ({ caller, note = [], creates = [] }: EndpointSpec) => {
  const limits = creationNote([creates].flat());
  return typeof note === "string"
    ? [whoMayCall[caller], note, limits].filter(Boolean).join(" ")
    : [[whoMayCall[caller], limits].filter(Boolean).join(" "), note.map((one) => `- ${one}`).join("\n")]
        .filter(Boolean)
        .join("\n\n");
};

const securityOf = ({ caller, webhook, byBearer }: EndpointSpec) =>
  caller === "anyone"
    ? []
    : caller === "scim"
      ? [{ scimToken: [] }]
      : [
          { apiKey: [] },
          ...(webhook ? [{ botKey: [] }] : []),
          ...(byBearer ? [{ agentKey: [] }] : []),
          ...(caller === "visitor" ? [{}] : []),
        ];

function responsesOf(spec: EndpointSpec): JsonSchema {
  const byStatus = Map.groupBy(declaredErrors(spec), (name) => declarationOf(name).status);
  const failures = [...byStatus].map(([status, names]) => [String(status), errorResponse(status, names, spec)]);
  return { ...successesOf(spec), ...gatewayReferences, ...Object.fromEntries(failures) };
}

/** What an endpoint with a raw reply may return besides 200, by status. */
const otherStatuses: Record<number, string> = {
  201: "The object was created; its URL is in the Location header.",
  202: "What needs no reply was received.",
  204: "Success, without content.",
  206: "The part that the Range header requests.",
  302: "The content is at the URL in the Location header.",
  304: "The content still has the ETag in the If-None-Match header.",
  403: "A page of another site may not call.",
  416: "The Range header requests a part that does not exist.",
};

const redirect = {
  description: "Repeat the request at the URL in the Location header, with the same credentials.",
  headers: { Location: { required: true, schema: { type: "string" } } },
};

const storedReply = {
  description: "The reply is too long. Fetch it with GET, without credentials, from the URL in the Location header.",
  headers: redirect.headers,
};

function successesOf({ returns, raw, redirects, storeLongReply }: EndpointSpec): Record<string, JsonSchema> {
  if (returns !== "raw") {
    const ignored = { ignored_parameters_unsupported: optional(list(text())) };
    const schema = withoutMaxItems(
      objectOf({ ...returns, ...ignored }, { result: { const: "success" }, msg: { const: "" } }),
    );
    const required = ["result", "msg", ...((schema.required as string[]) ?? [])];
    const success = { description: "Success.", content: { "application/json": { schema: { ...schema, required } } } };
    return { 200: success, ...(storeLongReply && { 303: storedReply }), ...(redirects && { 307: redirect }) };
  }
  const content = Object.fromEntries((raw?.types ?? ["*/*"]).map((type) => [type, {}]));
  const otherResponses = (raw?.statuses ?? []).map((status) => {
    const description = otherStatuses[status] ?? "";
    return [status, status === 201 || status === 206 ? { description, content } : { description }];
  });
  return { 200: { description: "The content.", content }, ...Object.fromEntries(otherResponses) };
}

const retryAfter = { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } };

const headersOf: Record<number, JsonSchema> = {
  405: { Allow: { description: "The methods that the path supports.", schema: { type: "string" } } },
  429: retryAfter,
  503: retryAfter,
};

function errorResponse(
  status: number,
  names: readonly ErrorName[],
  { renderError, raw }: Pick<EndpointSpec, "renderError" | "raw"> = {},
): JsonSchema {
  const codes = [...new Set(names.map((name) => declarationOf(name).code))].sort();
  const fromGateway = gatewayErrors[status];
  const schemas = fromGateway ? [...codes, ...Object.keys(gatewaySchemas)] : codes;
  const refs = schemas.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schema = refs.length === 1 ? refs[0] : { anyOf: refs };
  const headers = headersOf[status];
  return {
    description: `${codes.join(", ")}.${fromGateway ? ` From the gateway: ${fromGateway}` : ""}`,
    ...(headers && { headers }),
    content: renderError
      ? Object.fromEntries((raw?.types ?? []).map((type) => [type, {}]))
      : { "application/json": { schema } },
  };
}

/** One schema for each error code; a code may have several statuses. */
function errorSchemas(): JsonSchema {
  const names = (Object.keys(errorCatalogue) as ErrorName[]).sort();
  const byCode = Map.groupBy(names.map(declarationOf), ({ code }) => code);
  return Object.fromEntries(
    [...byCode].map(([code, declarations]) => {
      const properties = { result: { const: "error" }, msg: { type: "string" }, code: { const: code } };
      const extraFields = declarations
        .flatMap(({ fields, sometimes }) => [...fields, ...sometimes])
        .map((name) => [name, {}]);
      return [
        code,
        {
          type: "object",
          required: ["result", "msg", "code", ...declarations.flatMap(({ fields }) => fields)],
          properties: { ...properties, ...Object.fromEntries(extraFields) },
          additionalProperties: false,
        },
      ];
    }),
  );
}

const camelCased = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const tagOf = (name: string) => name.replace(/^\w/, (letter) => letter.toUpperCase()).replaceAll("-", " ");

const productVersion = (): string =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")).version;
