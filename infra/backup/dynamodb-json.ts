import type { AttributeValue } from "@aws-sdk/client-dynamodb";

/** DynamoDB JSON, in which each value has a type and bytes are base64, as in exports to S3. */

export const toDynamoDbJson = (value: object): string => JSON.stringify(value, encodeBytes);

export const fromDynamoDbJson = (text: string): Record<string, AttributeValue> => JSON.parse(text, decodeBytes);

/** Reads the original from `this`, since `value` is already the result of Buffer.toJSON. */
function encodeBytes(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  return original instanceof Uint8Array ? Buffer.from(original).toString("base64") : value;
}

/**
 * Decodes base64 under the type keys "B" (binary) and "BS" (binary set). The value of an attribute that is itself named "B" is
 * an object such as {"S": "text"}, so that it stays as it is.
 */
function decodeBytes(key: string, value: unknown): unknown {
  const bytes = (text: string) => new Uint8Array(Buffer.from(text, "base64"));
  if (key === "B" && typeof value === "string") return bytes(value);
  if (key === "BS" && Array.isArray(value) && value.every((text) => typeof text === "string")) return value.map(bytes);
  return value;
}
