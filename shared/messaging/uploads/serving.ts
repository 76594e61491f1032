import { limits } from "../../base/limits.ts";
import { getFile, presignDownload } from "../../services/blobs/bucket.ts";
import { disposition, uploadFileKey } from "../../services/blobs/names.ts";
import { etagOf, hasVersion, rangeOf } from "../../services/http/etag.ts";
import type { HttpRequest } from "../../services/http/event.ts";
import { RawReply } from "../../services/http/raw-reply.ts";
import type { Upload } from "../../store/organization/uploads.ts";
import { noSuchFile } from "./access.ts";

/** Content types that browsers may display inline; others are downloaded. No type here can contain scripts. */
const inlineTypes = new Set([
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

/** Headers that prevent content from running scripts, whatever type a browser detects. */
export const sandboxHeaders = {
  "content-security-policy": "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox",
  "referrer-policy": "no-referrer",
};

type ServableFile = Pick<Upload, "pathId" | "name" | "contentType" | "size">;

/** How long the presigned URL in a redirect to a large file is valid. */
const redirectSeconds = 60;

/**
 * Browsers may keep a file, but must ask before they show it: after sign-out, or when a message with the file was deleted, the
 * copy that a browser keeps is not readable. What a name refers to never changes, so the name identifies the version.
 */
export const validatedHeaders = (name: string) => ({ "cache-control": "private, no-cache", etag: etagOf(name) });

/**
 * Returns the file, or the requested range of it, if the file fits in a Lambda response; otherwise redirects to a presigned
 * URL. A client that has the file gets a 304. Throws a 404 if the content was deleted.
 */
export async function serveFile(file: ServableFile, request: Pick<HttpRequest, "headers">): Promise<RawReply> {
  const kind = inlineTypes.has(file.contentType) ? "inline" : "attachment";
  const common = { ...sandboxHeaders, ...validatedHeaders(file.pathId) };
  const contentDisposition = disposition(kind, file.name);
  const key = uploadFileKey(file.pathId);
  if (file.size > limits.maxLambdaFileBytes) {
    const link = { contentType: file.contentType, disposition: contentDisposition, seconds: redirectSeconds };
    const location = await presignDownload(key, link);
    return new RawReply(302, { ...sandboxHeaders, "cache-control": "private, no-store", location });
  }
  if (hasVersion(request, common.etag)) return new RawReply(304, common);
  const requestedRange = parseRange(rangeOf(request, common.etag), file.size);
  if (requestedRange === "unsatisfiable")
    return new RawReply(416, { ...common, "content-range": `bytes */${file.size}` });
  const found = await getFile(key, requestedRange);
  if (!found) throw noSuchFile();
  const headers = {
    ...common,
    "content-type": file.contentType,
    "content-disposition": contentDisposition,
    "accept-ranges": "bytes",
    ...(found.range !== undefined && { "content-range": found.range }),
  };
  return new RawReply(found.range === undefined ? 200 : 206, headers, found.content);
}

/** A single valid byte range; multiple or malformed ranges are ignored, as HTTP allows. */
function parseRange(range: string | undefined, size: number): string | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  return start >= size ? "unsatisfiable" : `bytes=${first}-${last}`;
}
