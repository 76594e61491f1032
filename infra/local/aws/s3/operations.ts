import { randomUUID } from "node:crypto";
import { buffer } from "node:stream/consumers";
import type { Row } from "../database.ts";
import { AwsError } from "../error.ts";
import type { Operations } from "../operations.ts";
import { rangeOf } from "./range.ts";
import type { FileStore, StoredObject } from "./store.ts";

const maxKeyBytes = 1024;
/** S3's minimum for all parts but the last. */
const minPartBytes = 5 * 1024 * 1024;

/** S3, as far as the fleet uses it; links to files are answered by the file server. */
export function fileOperations(store: FileStore): Operations {
  const get = ({ Bucket, Key }: Row): StoredObject => {
    const object = store.find(Bucket, Key);
    if (!object) throw new AwsError("NoSuchKey", "The specified key does not exist.", 404);
    return object;
  };
  return {
    CreateBucket: ({ Bucket }) => store.putBucket(Bucket),
    PutObject: async ({ Bucket, Key, Body, ContentType, ContentEncoding }) => {
      if (Buffer.byteLength(Key) > maxKeyBytes) throw new AwsError("KeyTooLongError", "Your key is too long");
      const headers = headersOf(ContentType, ContentEncoding);
      const written = await store.write([Buffer.from(Body)]);
      store.put(Bucket, { ...written, key: Key, headers });
      return { ETag: `"${written.md5}"` };
    },
    GetObject: async (input) => {
      const object = get(input);
      const range = rangeOf(input.Range, object.size);
      const bytes = await buffer(store.read(object, range));
      return {
        Body: Object.assign(bytes, { transformToByteArray: async () => bytes }),
        ...(range && { ContentRange: `bytes ${range.start}-${range.end}/${object.size}` }),
      };
    },
    HeadObject: (input) => ({ ContentLength: get(input).size }),
    DeleteObject: ({ Bucket, Key }) => store.delete(Bucket, Key),
    ListObjectsV2: ({ Bucket, Prefix = "" }) => ({ Contents: store.listKeys(Bucket, Prefix).map((Key) => ({ Key })) }),
    CreateMultipartUpload: ({ Bucket, Key, ContentType }) => {
      const UploadId = randomUUID();
      store.putUpload(UploadId, Bucket, Key, headersOf(ContentType));
      return { UploadId };
    },
    UploadPart: async ({ Bucket, Key, UploadId, PartNumber, Body }) => {
      store.getUpload(UploadId, Bucket, Key);
      const written = await store.write([Body]);
      store.putPart(UploadId, PartNumber, written);
      return { ETag: `"${written.md5}"` };
    },
    CompleteMultipartUpload: async ({ Bucket, Key, UploadId, MultipartUpload }) => {
      const { headers } = store.getUpload(UploadId, Bucket, Key);
      const parts = selectParts(MultipartUpload.Parts, store.listParts(UploadId));
      const written = await store.write(
        (async function* () {
          for (const part of parts) yield* store.read(part);
        })(),
      );
      store.database.transaction(() => {
        store.put(Bucket, { ...written, key: Key, headers });
        store.deleteUpload(UploadId);
      });
    },
    AbortMultipartUpload: ({ Bucket, Key, UploadId }) => {
      store.getUpload(UploadId, Bucket, Key);
      store.deleteUpload(UploadId);
    },
  };
}

/** The headers with which a file is served. */
const headersOf = (type: string, encoding?: string): Record<string, string> => ({
  ...(type && { "content-type": type }),
  ...(encoding && { "content-encoding": encoding }),
});

/** The stored parts that a request names; throws if one is missing, changed or too small. */
function selectParts(requested: Row[], parts: ReturnType<FileStore["listParts"]>) {
  const byNumber = new Map(parts.map((part) => [part.number, part]));
  return requested.map(({ PartNumber, ETag }, index) => {
    const part = byNumber.get(PartNumber);
    if (!part || `"${part.md5}"` !== ETag)
      throw new AwsError(
        "InvalidPart",
        "One or more of the specified parts could not be found, or its tag did not match.",
      );
    if (part.size < minPartBytes && index < requested.length - 1)
      throw new AwsError("EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size");
    return part;
  });
}
