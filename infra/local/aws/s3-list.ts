import { AwsError, type AwsRequest } from "./protocol.ts";
import type { ObjectStore, StoredObject } from "./s3-store.ts";
import { xml } from "./xml.ts";

/** ListObjectsV2: a page of keys in the order of their bytes, those below a delimiter rolled up. */
export function listObjects(store: ObjectStore, bucket: string, { query }: AwsRequest): string {
  const [prefix, delimiter] = [query.get("prefix") ?? "", query.get("delimiter") ?? ""];
  const limit = Math.min(1000, Number(query.get("max-keys") ?? 1000));
  if (!Number.isInteger(limit) || limit < 0)
    throw new AwsError("InvalidArgument", "Provided max-keys not an integer or within integer range");
  const token = query.get("continuation-token");
  const from = token === undefined ? (query.get("start-after") ?? "") : Buffer.from(token, "base64url").toString();
  const encode =
    query.get("encoding-type") === "url" ? (text: string) => encodeURIComponent(text).replaceAll("%2F", "/") : String;

  const objects: StoredObject[] = [];
  const prefixes: string[] = [];
  let position = from;
  let next = store.findNext(bucket, prefix, position);
  while (next && objects.length + prefixes.length < limit) {
    const cut = delimiter === "" ? -1 : next.key.indexOf(delimiter, prefix.length);
    if (cut < 0) {
      objects.push(next);
      position = next.key;
    } else {
      const rolledUp = next.key.slice(0, cut + delimiter.length);
      prefixes.push(rolledUp);
      // The largest character sorts behind every key that the roll-up stands for.
      position = `${rolledUp}\u{10ffff}`;
    }
    next = store.findNext(bucket, prefix, position);
  }
  const isTruncated = next !== undefined && limit > 0;
  return xml("ListBucketResult", {
    Name: bucket,
    Prefix: encode(prefix),
    Delimiter: delimiter === "" ? undefined : encode(delimiter),
    MaxKeys: limit,
    KeyCount: objects.length + prefixes.length,
    EncodingType: query.get("encoding-type"),
    IsTruncated: isTruncated,
    ContinuationToken: token,
    NextContinuationToken: isTruncated ? Buffer.from(position).toString("base64url") : undefined,
    StartAfter: query.get("start-after"),
    Contents: objects.map(({ key, modifiedAt, etag, size }) => ({
      Key: encode(key),
      LastModified: new Date(modifiedAt).toISOString(),
      ETag: `"${etag}"`,
      Size: size,
      StorageClass: "STANDARD",
    })),
    CommonPrefixes: prefixes.map((Prefix) => ({ Prefix: encode(Prefix) })),
  });
}
