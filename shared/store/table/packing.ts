import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * What is stored deflated: long lists as JSON, and long strings, because a message of 10,000 characters may render to more HTML
 * than an item can hold.
 */

export const packJson = (value: unknown): Uint8Array => deflateRawSync(JSON.stringify(value));
export const unpackJson = <T>(packed: Uint8Array): T => JSON.parse(decompress(packed));

/** UTF-16 units. Shorter strings are stored as they are. */
const minCompressedChars = 8192;

/** Undefined for a short text, which is stored as it is. */
export const compressIfLong = (text: string): Uint8Array | undefined =>
  text.length > minCompressedChars ? deflateRawSync(text, { level: 6 }) : undefined;

export const decompress = (bytes: Uint8Array): string => inflateRawSync(bytes).toString("utf8");

/** A record whose `html`, when it is long, is stored compressed as `packedHtml`. */
export type WithPackedHtml<T extends { html: string }> = Omit<T, "html"> & {
  html?: string | undefined;
  packedHtml?: Uint8Array;
};

export function packHtml<T extends { html: string }>(record: T): WithPackedHtml<T> {
  const packedHtml = compressIfLong(record.html);
  if (!packedHtml) return record;
  const { html: _, ...rest } = record;
  return { ...rest, packedHtml };
}

/**
 * A long `html` is decompressed each time it is read and not kept: a request may read more messages than its process could hold
 * decompressed, and replies with few of them.
 */
export function unpackHtml<T extends { html: string }>(record: WithPackedHtml<T>): T {
  const { packedHtml, ...rest } = record;
  const unpacked = { ...rest, html: rest.html ?? "" };
  if (packedHtml) Object.defineProperty(unpacked, "html", { get: () => decompress(packedHtml) });
  return unpacked as object as T;
}
