import type { IncomingHttpHeaders } from "node:http";
import { AwsError, type AwsReply, type AwsRequest, type AwsService } from "../protocol.ts";
import { xml } from "../xml.ts";
import { storeBody } from "./body.ts";
import { listObjects } from "./list.ts";
import { finishUpload, startUpload, uploadPart } from "./multipart.ts";
import { readObject } from "./read.ts";
import type { ObjectStore } from "./store.ts";

const xmlDeclaration = '<?xml version="1.0" encoding="UTF-8"?>\n';
const maxKeyBytes = 1024;
/** Request headers that are stored with an object. */
const keptHeaders = [
  "content-type",
  "content-disposition",
  "cache-control",
  "content-encoding",
  "content-language",
  "expires",
];

/** S3: REST-XML, with the bucket in the path. */
export function s3Emulator(store: ObjectStore): AwsService {
  return {
    answer: async (request) => {
      const [, bucket = "", ...rest] = request.path.split("/");
      const key = decodeURIComponent(rest.join("/"));
      const name = decodeURIComponent(bucket);
      if (key === "") return answerBucket(store, name, request);
      if (!store.hasBucket(name)) throw noSuchBucket();
      if (Buffer.byteLength(key) > maxKeyBytes) throw new AwsError("KeyTooLongError", "Your key is too long");
      return answerObject(store, name, key, request);
    },
    formatError: ({ code, message, status }, { path }) =>
      xmlReply(xml("Error", { Code: code, Message: message, Resource: path.split("?")[0] }), status),
  };
}

const xmlReply = (text: string, status = 200): AwsReply => ({
  status,
  headers: { "content-type": "application/xml" },
  body: `${xmlDeclaration}${text}`,
});

const noSuchBucket = () => new AwsError("NoSuchBucket", "The specified bucket does not exist", { status: 404 });
const notAllowed = () =>
  new AwsError("MethodNotAllowed", "The specified method is not allowed against this resource.", { status: 405 });

async function answerBucket(store: ObjectStore, bucket: string, request: AwsRequest): Promise<AwsReply> {
  const { method } = request;
  if (method === "PUT") {
    if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
      throw new AwsError("InvalidBucketName", "The specified bucket is not valid.");
    // As in us-east-1: the owner may create a bucket again.
    store.putBucket(bucket);
    return { status: 200, headers: { location: `/${bucket}` } };
  }
  if (!store.hasBucket(bucket)) throw noSuchBucket();
  if (method === "GET") return xmlReply(listObjects(store, bucket, request));
  throw notAllowed();
}

async function answerObject(store: ObjectStore, bucket: string, key: string, request: AwsRequest): Promise<AwsReply> {
  const { method, query } = request;
  if (method === "GET" || method === "HEAD") return readObject(store, bucket, key, request);
  if (method === "PUT") {
    if (query.has("partNumber"))
      return { status: 200, headers: { etag: `"${await uploadPart(store, bucket, key, request)}"` } };
    return putObject(store, bucket, key, request);
  }
  if (method === "POST" && query.has("uploads"))
    return xmlReply(startUpload(store, bucket, key, storedHeaders(request)));
  if (method === "POST" && query.has("uploadId")) return xmlReply(await finishUpload(store, bucket, key, request));
  if (method === "DELETE") {
    const uploadId = query.get("uploadId");
    if (uploadId === undefined) store.delete(bucket, key);
    else {
      store.getUpload(uploadId, bucket, key);
      store.deleteUpload(uploadId);
    }
    return { status: 204 };
  }
  throw notAllowed();
}

async function putObject(store: ObjectStore, bucket: string, key: string, request: AwsRequest): Promise<AwsReply> {
  const { file, size, md5, crc32 } = await storeBody(request, store.folder);
  if (request.headers["if-none-match"] === "*" && store.find(bucket, key)) {
    store.discard(file);
    throw new AwsError("PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
      status: 412,
    });
  }
  store.put(bucket, { key, file, size, etag: md5, crc32, headers: storedHeaders(request) });
  return {
    status: 200,
    headers: { etag: `"${md5}"`, "x-amz-checksum-crc32": crc32, "x-amz-checksum-type": "FULL_OBJECT" },
  };
}

/** The headers to return when the object is read; a presigned link may have `x-amz-meta-*` in its query. */
function storedHeaders({
  headers,
  query,
}: {
  headers: IncomingHttpHeaders;
  query: Map<string, string>;
}): Record<string, string> {
  const result: Record<string, string> = {};
  const inQuery = [...query].filter(([name]) => name.startsWith("x-amz-meta-"));
  for (const [name, value] of [...inQuery, ...Object.entries(headers)]) {
    if (typeof value === "string" && (keptHeaders.includes(name) || name.startsWith("x-amz-meta-")))
      result[name] = value;
  }
  // aws-chunked is a transfer encoding, not part of the stored content's encoding.
  const encoding = result["content-encoding"]
    ?.split(",")
    .filter((coding) => coding.trim() !== "aws-chunked")
    .join(",");
  if (encoding) result["content-encoding"] = encoding;
  else delete result["content-encoding"];
  return result;
}
