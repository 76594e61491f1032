import { createHash, randomUUID } from "node:crypto";
import { createReadStream } from "node:fs";
import type { Row } from "../database.ts";
import { AwsError, type AwsRequest, readAll } from "../protocol.ts";
import { readXml, xml } from "../xml.ts";
import { storeBody, storeStream } from "./body.ts";
import type { ObjectStore } from "./store.ts";

const maxPartNumber = 10_000;
/** S3's minimum for all parts but the last. */
const minPartBytes = 5 * 1024 * 1024;

/** CreateMultipartUpload; returns the XML of the reply. */
export function startUpload(store: ObjectStore, bucket: string, key: string, headers: Record<string, string>): string {
  const id = randomUUID();
  store.putUpload(id, bucket, key, headers);
  return xml("InitiateMultipartUploadResult", { Bucket: bucket, Key: key, UploadId: id });
}

/** UploadPart; returns the part's ETag. */
export async function uploadPart(
  store: ObjectStore,
  bucket: string,
  key: string,
  request: AwsRequest,
): Promise<string> {
  const id = request.query.get("uploadId") ?? "";
  const number = Number(request.query.get("partNumber"));
  if (!Number.isInteger(number) || number < 1 || number > maxPartNumber) {
    throw new AwsError("InvalidArgument", "Part number must be an integer between 1 and 10000, inclusive");
  }
  store.getUpload(id, bucket, key);
  const stored = await storeBody(request, store.folder);
  store.putPart(id, number, stored);
  return stored.md5;
}

/** CompleteMultipartUpload: the parts that the request names become one object. Returns the XML of the reply. */
export async function finishUpload(
  store: ObjectStore,
  bucket: string,
  key: string,
  request: AwsRequest,
): Promise<string> {
  const id = request.query.get("uploadId") ?? "";
  const { headers } = store.getUpload(id, bucket, key);
  const requested = await readXml((await readAll(request.body)).toString(), "CompleteMultipartUpload", "Part");
  const parts = selectParts(requested, store.listParts(id));
  const content = async function* () {
    for (const { file } of parts) yield* createReadStream(store.pathOf(file)) as AsyncIterable<Buffer>;
  };
  const { file, size } = await storeStream(content(), store.folder, () => {});
  const md5s = Buffer.concat(parts.map(({ md5 }) => Buffer.from(md5, "hex")));
  const etag = `${createHash("md5").update(md5s).digest("hex")}-${parts.length}`;
  store.database.transaction(() => {
    store.put(bucket, { key, file, size, etag, crc32: undefined, headers });
    store.deleteUpload(id);
  });
  return xml("CompleteMultipartUploadResult", {
    Location: `${request.origin}${request.path}`,
    Bucket: bucket,
    Key: key,
    ETag: `"${etag}"`,
  });
}

/** The stored parts that a request names; throws if one is missing, changed, out of order or too small. */
function selectParts(requested: Record<string, string>[], parts: Row[]): Row[] {
  const byNumber = new Map(parts.map((part) => [part.number, part]));
  let lastNumber = 0;
  return requested.map(({ PartNumber, ETag }, index) => {
    const part = byNumber.get(Number(PartNumber));
    if (!part || part.md5 !== ETag?.replaceAll('"', "")) {
      throw new AwsError(
        "InvalidPart",
        "One or more of the specified parts could not be found, or its entity tag did not match.",
      );
    }
    if (part.number <= lastNumber)
      throw new AwsError("InvalidPartOrder", "The list of parts was not in ascending order.");
    lastNumber = part.number;
    if (part.size < minPartBytes && index < requested.length - 1) {
      throw new AwsError("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
    }
    return part;
  });
}
