import type { JsonSchema } from "../../shared/base/schema/json-schema.ts";
import type { Random } from "../support/random.ts";
import { hostileTexts } from "./texts.ts";

/** Values that are made up from schemas. */

export const pick = <T>(random: Random, values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;

const nestedLists = (depth: number) => JSON.parse(`${"[".repeat(depth)}${"]".repeat(depth)}`);
export const invalidValues: readonly unknown[] = [
  ...[0, -1, 1, 2 ** 31, 2 ** 53, -(2 ** 53), 1.5, 1e308],
  ...[null, true, false, "", " ", [], {}, [[]], [null], [{}], { length: 1e9 }],
  ...[nestedLists(500), "x".repeat(20_000), Array.from({ length: 2000 }, (_, index) => index)],
  ...["__proto__", "1", "-1", "NaN", "newest", "2024-01-01", "a".repeat(255)],
  JSON.parse('{"__proto__":{"x":1},"constructor":1}'),
];

/** A value that conforms to the schema, but for a part of about `invalid` at each level. */
export function valueFor(schema: JsonSchema, random: Random, invalid = 0.15, depth = 0): unknown {
  if (random() < invalid || depth > 6) return random() < 0.5 ? pick(random, invalidValues) : pick(random, hostileTexts);
  const { type, enum: values, const: constant, anyOf, oneOf, items, properties } = schema as Record<string, any>;
  if (constant !== undefined) return constant;
  if (values) return pick(random, values);
  if (anyOf ?? oneOf) return valueFor(pick(random, anyOf ?? oneOf), random, invalid, depth + 1);
  const kind = Array.isArray(type) ? pick(random, type) : type;
  if (kind === "integer" || kind === "number") return Math.floor(random() ** 4 * 60);
  if (kind === "boolean") return random() < 0.5;
  if (kind === "array")
    return Array.from({ length: Math.floor(random() * 4) }, () => valueFor(items ?? {}, random, invalid, depth + 1));
  if (kind === "object")
    return Object.fromEntries(
      Object.entries<JsonSchema>(properties ?? { a: {} }).flatMap(([name, part]) =>
        random() < 0.8 ? [[name, valueFor(part, random, invalid, depth + 1)]] : [],
      ),
    );
  return pick(random, hostileTexts);
}
