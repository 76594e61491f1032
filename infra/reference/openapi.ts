import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { CallerKind, EndpointSpec } from "../../shared/http/endpoint.ts";
import { list, optional, text } from "../../shared/http/params.ts";
import { featureLevel } from "../../shared/settings.ts";
import { type EndpointMember, pathOf } from "../fleet.ts";
import { type ErrorKind, errorsOf } from "./errors.ts";
import { gatewayAnswers, gatewayReferences, gatewayResponses, gatewaySchemas } from "./gateway.ts";
import { overview } from "./overview.ts";
import { bodyOf, parametersOf } from "./parameters.ts";
import { type JsonSchema, objectOf } from "./schemas.ts";

/** Any endpoint may fail in a way that nobody foresaw. */
const unforeseen: ErrorKind = { code: "INTERNAL_SERVER_ERROR", status: 500, fields: [] };

/** The OpenAPI 3.1 document of the endpoints, made of nothing but their declarations and their code. */
export async function openapiOf(endpoints: readonly EndpointMember[]): Promise<JsonSchema> {
  const errors = await errorsOf(endpoints);
  const paths: Record<string, Record<string, unknown>> = {};
  const tags = new Set<string>();
  for (const { name, resource, file, spec } of endpoints) {
    tags.add(titled(resource));
    const path = pathOf(spec).replaceAll("+}", "}");
    const operations = paths[path] ?? {};
    operations[spec.method.toLowerCase()] = {
      operationId: camelCased(name),
      tags: [titled(resource)],
      summary: spec.summary,
      description: whoMayCall[spec.caller],
      security: securityOf(spec.caller),
      parameters: parametersOf(spec),
      requestBody: bodyOf(spec),
      responses: responsesOf(spec, [...reachable(spec, errors.get(file) ?? []), unforeseen]),
    };
    paths[path] = operations;
  }
  const all = [...[...errors.values()].flat(), ...outsideEndpoints, unforeseen];
  return {
    openapi: "3.1.1",
    info: {
      title: "Skein",
      version: `${productVersion()}+${featureLevel}`,
      summary: `Team chat; Zulip's API at feature level ${featureLevel}.`,
      description: overview,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: "/" }],
    tags: [...tags].sort().map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "basic", description: "The e-mail address, and the API key as the password." },
      },
      schemas: { ...schemasOf(all), ...gatewaySchemas },
      responses: {
        ...Object.fromEntries(outsideEndpoints.map((error) => [error.code, errorResponse(error.status, [error])])),
        ...gatewayResponses,
      },
    },
  };
}

/** What the fallback answers, where no operation is. */
const outsideEndpoints: ErrorKind[] = [
  { code: "NOT_FOUND", status: 404, fields: [] },
  { code: "METHOD_NOT_ALLOWED", status: 405, fields: ["allowed_methods"] },
];

const whoMayCall: Record<CallerKind, string> = {
  anyone: "Anyone may call, without credentials.",
  visitor: "Users may call, and without credentials visitors, where the organization lets them in.",
  user: "Any user or bot may call.",
  human: "Any user may call; bots may not.",
  member: "Any user or bot may call; guests may not.",
  admin: "Administrators and owners may call.",
  owner: "Owners may call.",
};

const securityOf = (caller: CallerKind) =>
  caller === "anyone" ? [] : caller === "visitor" ? [{ apiKey: [] }, {}] : [{ apiKey: [] }];

/** Nobody is refused for credentials that are not looked at. */
const reachable = ({ caller }: EndpointSpec, errors: readonly ErrorKind[]) =>
  errors.filter(({ code }) => caller !== "anyone" || code !== "UNAUTHORIZED");

function responsesOf(spec: EndpointSpec, errors: readonly ErrorKind[]): JsonSchema {
  const byStatus = Map.groupBy(errors, ({ status }) => status);
  const failures = [...byStatus].map(([status, kinds]) => [String(status), errorResponse(status, kinds)]);
  return { ...successesOf(spec), ...gatewayReferences, ...Object.fromEntries(failures) };
}

const otherSuccesses: Record<number, string> = {
  206: "The part that the header Range asks for.",
  302: "The content is at the header Location's address.",
  304: "The content is still what the header If-None-Match names.",
  416: "There is no such part as the header Range asks for.",
};

const elsewhere = {
  description: "The same is to be asked at the header Location's address, with the same credentials.",
  headers: { Location: { required: true, schema: { type: "string" } } },
};

function successesOf({ returns, raw, redirects }: EndpointSpec): Record<string, JsonSchema> {
  if (returns !== "raw") {
    const ignored = { ignored_parameters_unsupported: optional(list(text(), { max: Number.MAX_SAFE_INTEGER })) };
    const schema = objectOf({ ...returns, ...ignored }, { result: { const: "success" }, msg: { const: "" } });
    const required = ["result", "msg", ...((schema.required as string[]) ?? [])];
    const success = { description: "Success.", content: { "application/json": { schema: { ...schema, required } } } };
    return { 200: success, ...(redirects && { 307: elsewhere }) };
  }
  const content = Object.fromEntries((raw?.types ?? ["*/*"]).map((type) => [type, {}]));
  const others = (raw?.statuses ?? []).map((status) => {
    const description = otherSuccesses[status] ?? "";
    return [status, status === 206 ? { description, content } : { description }];
  });
  return { 200: { description: "The content.", content }, ...Object.fromEntries(others) };
}

const headersOf: Record<number, JsonSchema> = {
  405: { Allow: { description: "The methods that the path has.", schema: { type: "string" } } },
  429: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
};

function errorResponse(status: number, kinds: readonly ErrorKind[]): JsonSchema {
  const codes = [...new Set(kinds.map(({ code }) => code))].sort();
  const fromGateway = gatewayAnswers[status];
  const schemas = fromGateway ? [...codes, ...Object.keys(gatewaySchemas)] : codes;
  const refs = schemas.map((name) => ({ $ref: `#/components/schemas/${name}` }));
  const schema = refs.length === 1 ? refs[0] : { anyOf: refs };
  const headers = headersOf[status];
  return {
    description: `${codes.join(", ")}.${fromGateway ? ` From the gateway: ${fromGateway}` : ""}`,
    ...(headers && { headers }),
    content: { "application/json": { schema } },
  };
}

/** One schema for each code, whose other fields are those of all places that make it. */
function schemasOf(errors: readonly ErrorKind[]): JsonSchema {
  const byCode = [...Map.groupBy(errors, ({ code }) => code)].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    byCode.map(([code, kinds]) => {
      const names = [...new Set(kinds.flatMap(({ fields }) => fields))].sort();
      const always = names.filter((name) => kinds.every(({ fields }) => fields.includes(name)));
      const properties = { result: { const: "error" }, msg: { type: "string" }, code: { const: code } };
      const others = Object.fromEntries(names.map((name) => [name, {}]));
      return [
        code,
        {
          type: "object",
          required: ["result", "msg", "code", ...always],
          properties: { ...properties, ...others },
          additionalProperties: false,
        },
      ];
    }),
  );
}

const camelCased = (name: string) => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
const titled = (name: string) => name.replace(/^\w/, (letter) => letter.toUpperCase()).replaceAll("-", " ");

const productVersion = (): string =>
  JSON.parse(readFileSync(resolve(import.meta.dirname, "../../package.json"), "utf8")).version;
