import { limits } from "../settings.ts";
import type { Upload } from "../store/uploads.ts";
import { getFile, linkToRead } from "./bucket.ts";
import { disposition, uploadFile } from "./names.ts";

/** What browsers may show in their own window; anything else is only ever saved. Nothing that can hold a script is here. */
const shown = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "video/mp4",
  "video/webm",
  "audio/mpeg",
  "audio/mp4",
  "audio/ogg",
  "audio/wav",
  "audio/flac",
  "audio/aac",
  "text/plain; charset=utf-8",
]);

/** Headers under which no content runs: not as a page, not as a part of one, whatever a browser takes it for. */
export const harmless = {
  "content-security-policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

type Served = Pick<Upload, "pathId" | "name" | "contentType" | "size">;

export interface ServedFile {
  status: number;
  headers: Record<string, string>;
  body?: Uint8Array;
}

/** Seconds for which a browser may follow a redirect to a large file. */
const redirectSeconds = 60;

/**
 * A file as its reader gets it: itself, or the part that `range` asks for, while it is small enough for a function to
 * carry; else a redirect to the bucket. Undefined when its content is gone.
 */
export async function serveFile(file: Served, range: string | undefined): Promise<ServedFile | undefined> {
  const kind = shown.has(file.contentType) ? "inline" : "attachment";
  const common = { ...harmless, "cache-control": "private, max-age=3600" };
  const contentDisposition = disposition(kind, file.name);
  const key = uploadFile(file.pathId);
  if (file.size > limits.straightFile) {
    const link = { contentType: file.contentType, disposition: contentDisposition, seconds: redirectSeconds };
    const location = await linkToRead(key, link);
    return { status: 302, headers: { ...common, "cache-control": "private, no-store", location } };
  }
  const wanted = usableRange(range, file.size);
  if (wanted === "unsatisfiable")
    return { status: 416, headers: { ...common, "content-range": `bytes */${file.size}` } };
  const found = await getFile(key, wanted);
  if (!found) return undefined;
  return {
    status: found.range === undefined ? 200 : 206,
    headers: {
      ...common,
      "content-type": file.contentType,
      "content-disposition": contentDisposition,
      "accept-ranges": "bytes",
      ...(found.range !== undefined && { "content-range": found.range }),
    },
    body: found.content,
  };
}

/** One range of bytes as it was asked for; several or nonsense count as none, as HTTP allows. */
function usableRange(range: string | undefined, size: number): string | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  return start >= size ? "unsatisfiable" : `bytes=${first}-${last}`;
}
