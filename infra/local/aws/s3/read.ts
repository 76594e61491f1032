import { open } from "node:fs/promises";
import { AwsError, type AwsReply, type AwsRequest } from "../protocol.ts";
import type { ObjectStore, StoredObject } from "./store.ts";

/** Headers that a presigned link can override by parameters such as `response-content-type`. */
const overridableHeaders = [
  "content-type",
  "content-disposition",
  "cache-control",
  "content-encoding",
  "content-language",
  "expires",
];

const noSuchKey = () => new AwsError("NoSuchKey", "The specified key does not exist.", { status: 404 });

/** GetObject and HeadObject: an object's headers and, for GET, its content or the part that Range asks for. */
export async function readObject(
  store: ObjectStore,
  bucket: string,
  key: string,
  request: AwsRequest,
): Promise<AwsReply> {
  const object = store.find(bucket, key);
  if (!object) throw noSuchKey();
  const { headers } = request;
  const etag = `"${object.etag}"`;
  if (headers["if-match"] && ![etag, "*"].includes(headers["if-match"])) {
    throw new AwsError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
      status: 412,
    });
  }
  if (headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
  const range = rangeOf(headers.range, object.size);
  const { start, end } = range ?? { start: 0, end: object.size - 1 };
  const reply: AwsReply = {
    status: range ? 206 : 200,
    headers: {
      ...headersOf(object, request),
      "content-length": end - start + 1,
      ...(range && { "content-range": `bytes ${start}-${end}/${object.size}` }),
      ...(!range &&
        object.crc32 &&
        headers["x-amz-checksum-mode"] === "ENABLED" && {
          "x-amz-checksum-crc32": object.crc32,
          "x-amz-checksum-type": "FULL_OBJECT",
        }),
    },
  };
  if (request.method === "HEAD" || object.size === 0) return reply;
  try {
    // Opened before the reply begins, so that the content stays readable if the object is deleted meanwhile.
    const handle = await open(store.pathOf(object.file));
    return { ...reply, body: handle.createReadStream({ start, end }) };
  } catch (error) {
    // The object was replaced or deleted after its row was read: read the row again.
    if (store.find(bucket, key)?.file === object.file) throw error;
    return readObject(store, bucket, key, request);
  }
}

function headersOf({ headers, etag, modifiedAt }: StoredObject, { query }: AwsRequest): Record<string, string> {
  const result: Record<string, string> = {
    "content-type": "binary/octet-stream",
    ...headers,
    etag: `"${etag}"`,
    "last-modified": new Date(modifiedAt).toUTCString(),
    "accept-ranges": "bytes",
  };
  for (const name of overridableHeaders) {
    const value = query.get(`response-${name}`);
    if (value === undefined) continue;
    if (/[^\t\x20-\x7e\xa0-\xff]/.test(value))
      throw new AwsError("InvalidArgument", "Header value cannot be represented using ISO-8859-1.");
    result[name] = value;
  }
  return result;
}

function rangeOf(header: string | undefined, size: number): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? "") ?? [];
  // S3 ignores a Range header that is not one range of bytes.
  if (first === undefined || last === undefined || (first === "" && last === "")) return undefined;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < Number(first)) return undefined;
  if (start > end) throw new AwsError("InvalidRange", "The requested range is not satisfiable", { status: 416 });
  return { start, end };
}
