import * as z from "zod/mini";
import { type Param, type Shape, schemaNotes } from "./params.ts";

/** A JSON Schema, as OpenAPI 3.1 uses it. */
export type JsonSchema = { [keyword: string]: unknown };

/** The schema of a parameter or a field of a reply. */
export function schemaOf({ schema, note, fallback }: Param): JsonSchema {
  const { $schema: _, ...generated } = z.toJSONSchema(schema, { io: "input", metadata: schemaNotes }) as JsonSchema;
  return {
    ...simplified(generated),
    ...(note !== undefined && { description: note }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** The schema of an object with exactly the fields of a shape. */
export function objectOf(shape: Shape, extraProperties: Record<string, JsonSchema> = {}): JsonSchema {
  const names = Object.keys(shape).filter((name) => shape[name]?.required);
  return {
    type: "object",
    ...(names.length > 0 && { required: names }),
    properties: {
      ...extraProperties,
      ...Object.fromEntries(Object.entries(shape).map(([name, param]) => [name, schemaOf(param)])),
    },
    additionalProperties: false,
  };
}

const meaninglessMaximums = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE]);

/** Removes bounds that are only JavaScript's limits, and gives enumerations of integers the type "integer". */
const simplified = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, (one) => {
    const isInteger = Array.isArray(one.enum) && one.enum.every(Number.isInteger);
    return Object.fromEntries(
      Object.entries(one)
        .filter(([keyword, value]) => !(/^max/.test(keyword) && meaninglessMaximums.has(value)))
        .filter(([keyword, value]) => !(keyword === "minimum" && value === Number.MIN_SAFE_INTEGER))
        .map(([keyword, value]) => [
          keyword,
          keyword === "type" && value === "number" && isInteger ? "integer" : value,
        ]),
    );
  });

/** The schema of a reply: without `maxItems`, which limits lists in parameters and says nothing about replies. */
export const withoutMaxItems = (schema: JsonSchema): JsonSchema =>
  mapSchemas(schema, ({ maxItems: _, ...rest }) => rest);

/** Applies `change` to a schema and to each schema in it. */
const mapSchemas = (schema: JsonSchema, change: (one: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(change(schema)).map(([keyword, value]) => [keyword, mapNested(value, change)]));

function mapNested(value: unknown, change: (one: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((one) => mapNested(one, change));
  return value !== null && typeof value === "object" ? mapSchemas(value as JsonSchema, change) : value;
}
