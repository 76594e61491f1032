import { createHash, hash } from "node:crypto";

/** A message attribute as it is on the wire. */
export interface MessageAttribute {
  DataType: string;
  StringValue?: string;
  BinaryValue?: string;
}

export const md5 = (text: string): string => hash("md5", text);

/** The MD5 that SQS computes over message attributes: each part prefixed with its length, sorted by name. */
export function md5OfAttributes(attributes: Record<string, MessageAttribute>): string | undefined {
  const sorted = Object.entries(attributes).sort(([one], [other]) => (one < other ? -1 : 1));
  if (sorted.length === 0) return undefined;
  const digest = createHash("md5");
  const add = (part: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(part.length);
    digest.update(length).update(part);
  };
  for (const [name, { DataType, StringValue, BinaryValue }] of sorted) {
    add(Buffer.from(name));
    add(Buffer.from(DataType));
    digest.update(Buffer.from([BinaryValue === undefined ? 1 : 2]));
    add(BinaryValue === undefined ? Buffer.from(StringValue ?? "") : Buffer.from(BinaryValue, "base64"));
  }
  return digest.digest("hex");
}
