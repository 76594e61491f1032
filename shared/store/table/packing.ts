import { deflateRawSync, inflateRawSync } from "node:zlib";

/** Long texts are stored deflated: what people write in 10,000 characters may be more HTML than one item can hold. */

/** UTF-16 units from which on packing is worth its time. */
const worthwhile = 8192;

/** The packed form of a long text, undefined for a short one. */
export const packed = (text: string): Uint8Array | undefined =>
  text.length > worthwhile ? deflateRawSync(text, { level: 6 }) : undefined;

export const unpacked = (bytes: Uint8Array): string => inflateRawSync(bytes).toString("utf8");

/** A record whose `html` is kept packed when it is long, under `packedHtml`. */
export type WithPackedHtml<T extends { html: string }> = Omit<T, "html"> & {
  html?: string | undefined;
  packedHtml?: Uint8Array;
};

export function packHtml<T extends { html: string }>(record: T): WithPackedHtml<T> {
  const packedHtml = packed(record.html);
  if (!packedHtml) return record;
  const { html: _, ...rest } = record;
  return { ...rest, packedHtml };
}

export function unpackHtml<T extends { html: string }>(record: WithPackedHtml<T>): T {
  const { packedHtml, ...rest } = record;
  return { ...rest, html: rest.html ?? (packedHtml ? unpacked(packedHtml) : "") } as unknown as T;
}
