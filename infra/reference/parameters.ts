import { type JsonSchema, objectOf, schemaOf } from "../../shared/base/schema/json-schema.ts";
import type { Param } from "../../shared/base/schema/params.ts";
import type { EndpointSpec } from "../../shared/services/http/endpoint.ts";

/** Describes how an endpoint's parameters are sent: in the path, the query or a form. */

/** The variables of a path; one with a plus, as in "/files/{path+}", may contain slashes. */
const namesInPath = (path: string) =>
  [...path.matchAll(/\{([^}+]+)(\+?)\}/g)].map(([, name, plus]) => ({ name, plus }));

/** Whether a parameter is sent as JSON: not text, nor a number or boolean, whose text and JSON are the same. */
const isJson = (param: Param) => {
  const { type } = schemaOf(param);
  if (param.encoding === "text" || type === "integer" || type === "number" || type === "boolean") return false;
  return !(param.encoding === "either" && type === "string");
};

const jsonOrTextHint = "JSON-encoded; text may also be sent without quotes.";

function described(param: Param): JsonSchema {
  const schema = schemaOf(param);
  if (param.encoding !== "either" || !isJson(param)) return schema;
  return { ...schema, description: [schema.description, jsonOrTextHint].filter(Boolean).join(" ") };
}

/** The parameters in the path and in the query. */
export function parametersOf({ method, path, params, webhook }: EndpointSpec): JsonSchema[] {
  const inPath = namesInPath(path).map(({ name = "", plus }) => ({
    name,
    in: "path",
    required: true,
    ...(plus && { description: "May contain slashes." }),
    schema: params[name] ? schemaOf(params[name]) : { type: "string" },
  }));
  if (!isInQuery(method) && !webhook) return inPath;
  const inQuery = paramsOutsidePath(path, params).map(([name, param]) => {
    const { description, ...schema } = described(param);
    return {
      name,
      in: "query",
      required: param.required,
      ...(description !== undefined && { description }),
      ...(isJson(param) ? { content: { "application/json": { schema } } } : { schema }),
    };
  });
  return [...inPath, ...inQuery];
}

/** The form body, or that of a webhook, which may be anything; undefined if the endpoint takes none. */
export function bodyOf({
  method,
  path,
  params,
  takesFile,
  takesJson,
  webhook,
  caller,
}: EndpointSpec): JsonSchema | undefined {
  if (takesJson) return { required: true, content: { "application/json": {} } };
  if (webhook) return { content: { "*/*": {} } };
  if (caller === "scim")
    return ["GET", "DELETE"].includes(method) ? undefined : { content: { "application/scim+json": {} } };
  const rest = paramsOutsidePath(path, params);
  if (isInQuery(method) || (rest.length === 0 && !takesFile)) return undefined;
  const schema = objectOf(Object.fromEntries(rest));
  // Unknown parameters are accepted, and reported in `ignored_parameters_unsupported`.
  delete schema.additionalProperties;
  schema.properties = Object.fromEntries(rest.map(([name, param]) => [name, described(param)]));
  const encoded = rest
    .filter(([, param]) => isJson(param))
    .map(([name]) => [name, { contentType: "application/json" }]);
  const form = { schema, ...(encoded.length > 0 && { encoding: Object.fromEntries(encoded) }) };
  if (!takesFile) {
    const required = rest.some(([, param]) => param.required);
    return { required, content: { "application/x-www-form-urlencoded": form } };
  }
  const properties = { ...(schema.properties as JsonSchema), file: { type: "string", format: "binary" } };
  const withFile = { ...schema, properties, required: [...((schema.required as string[]) ?? []), "file"] };
  return { required: true, content: { "multipart/form-data": { ...form, schema: withFile } } };
}

/** Only a GET has its parameters in the query: those of a DELETE, such as a list of channels, may be too long for a URL. */
const isInQuery = (method: EndpointSpec["method"]) => method === "GET";

function paramsOutsidePath(path: string, params: EndpointSpec["params"]): [string, Param][] {
  const inPath = new Set(namesInPath(path).map(({ name }) => name));
  return Object.entries(params).filter(([name]) => !inPath.has(name));
}
