import type { AwsRequest } from "../protocol.ts";
import { xml } from "../xml.ts";
import type { ObjectStore, StoredObject } from "./store.ts";

const maxPageKeys = 1000;

/** ListObjectsV2, as far as tests use it: a page of the keys with a prefix, in byte order. */
export function listObjects(store: ObjectStore, bucket: string, { query }: AwsRequest): string {
  const prefix = query.get("prefix") ?? "";
  const limit = Math.min(maxPageKeys, Number(query.get("max-keys") ?? maxPageKeys));
  const token = query.get("continuation-token");
  const encode =
    query.get("encoding-type") === "url" ? (text: string) => encodeURIComponent(text).replaceAll("%2F", "/") : String;

  const objects: StoredObject[] = [];
  let position = token === undefined ? "" : Buffer.from(token, "base64url").toString();
  let next = store.findNext(bucket, prefix, position);
  while (next && objects.length < limit) {
    objects.push(next);
    position = next.key;
    next = store.findNext(bucket, prefix, position);
  }
  return xml("ListBucketResult", {
    Name: bucket,
    Prefix: encode(prefix),
    MaxKeys: limit,
    KeyCount: objects.length,
    EncodingType: query.get("encoding-type"),
    IsTruncated: next !== undefined,
    ContinuationToken: token,
    NextContinuationToken: next && Buffer.from(position).toString("base64url"),
    Contents: objects.map(({ key, modifiedAt, etag, size }) => ({
      Key: encode(key),
      LastModified: new Date(modifiedAt).toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      StorageClass: "STANDARD",
    })),
  });
}
