import * as z from "zod/mini";
import { type Param, type Shape, schemaNotes } from "../../shared/schema/params.ts";

/** A JSON Schema, as OpenAPI 3.1 uses it. */
export type JsonSchema = { [word: string]: unknown };

/** The schema of a parameter or a field of a reply. */
export function schemaOf({ schema, note, fallback }: Param): JsonSchema {
  const { $schema: _, ...found } = z.toJSONSchema(schema, { io: "input", metadata: schemaNotes }) as JsonSchema;
  return {
    ...simplified(found),
    ...(note !== undefined && { description: note }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** The schema of an object with exactly the fields of a shape. */
export function objectOf(shape: Shape, more: Record<string, JsonSchema> = {}): JsonSchema {
  const names = Object.keys(shape).filter((name) => shape[name]?.required);
  return {
    type: "object",
    ...(names.length > 0 && { required: names }),
    properties: {
      ...more,
      ...Object.fromEntries(Object.entries(shape).map(([name, param]) => [name, schemaOf(param)])),
    },
    additionalProperties: false,
  };
}

const meaninglessMaximums = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE]);

/** Removes bounds that are only JavaScript's limits, and gives enumerations of integers the type "integer". */
const simplified = (schema: JsonSchema): JsonSchema =>
  changed(schema, (one) => {
    const isInteger = Array.isArray(one.enum) && one.enum.every(Number.isInteger);
    return Object.fromEntries(
      Object.entries(one)
        .filter(([word, value]) => !(/^max/.test(word) && meaninglessMaximums.has(value)))
        .filter(([word, value]) => !(word === "minimum" && value === Number.MIN_SAFE_INTEGER))
        .map(([word, value]) => [word, word === "type" && value === "number" && isInteger ? "integer" : value]),
    );
  });

/** A schema of what is returned: the most that a list may have is a limit of parameters, and says nothing about replies. */
export const ofReply = (schema: JsonSchema): JsonSchema => changed(schema, ({ maxItems: _, ...rest }) => rest);

/** Applies `change` to a schema and to each one in it. */
const changed = (schema: JsonSchema, change: (one: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(Object.entries(change(schema)).map(([word, value]) => [word, inside(value, change)]));

function inside(value: unknown, change: (one: JsonSchema) => JsonSchema): unknown {
  if (Array.isArray(value)) return value.map((one) => inside(one, change));
  return value !== null && typeof value === "object" ? changed(value as JsonSchema, change) : value;
}
