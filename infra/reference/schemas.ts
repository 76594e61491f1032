import * as z from "zod/mini";
import { type Param, type Shape, schemaNotes } from "../../shared/schema/params.ts";

/** A schema in JSON Schema's words, as OpenAPI 3.1 takes them. */
export type JsonSchema = { [word: string]: unknown };

/** What a parameter or a field of a reply may be. */
export function schemaOf({ schema, note, fallback }: Param): JsonSchema {
  const { $schema: _, ...found } = z.toJSONSchema(schema, { io: "input", metadata: schemaNotes }) as JsonSchema;
  return {
    ...tidied(found),
    ...(note !== undefined && { description: note }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

/** An object with the fields of a shape and no others. */
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

const boundless = new Set<unknown>([Number.MAX_SAFE_INTEGER, Number.MAX_VALUE]);

/** Bounds that are those of exact numbers say nothing; an enumeration of integers is called "number". */
function tidied(schema: JsonSchema): JsonSchema {
  const isInteger = Array.isArray(schema.enum) && schema.enum.every(Number.isInteger);
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([word, value]) => !(/^max/.test(word) && boundless.has(value)))
      .filter(([word, value]) => !(word === "minimum" && value === Number.MIN_SAFE_INTEGER))
      .map(([word, value]) => [word, word === "type" && value === "number" && isInteger ? "integer" : inside(value)]),
  );
}

function inside(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inside);
  return value !== null && typeof value === "object" ? tidied(value as JsonSchema) : value;
}
