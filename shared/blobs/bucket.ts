import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { observed } from "../aws/observe.ts";

/** The bucket of files: this and `multipart.ts` alone talk to S3. */

let client: S3Client | undefined;
// A checksum of its own would be signed into a link for a content that nobody has yet.
export const s3 = () => (client ??= observed(new S3Client({ requestChecksumCalculation: "WHEN_REQUIRED" })));

export function bucketName(): string {
  const name = process.env.FILES_BUCKET;
  if (!name) throw new Error("The function's uses do not include files");
  return name;
}

export interface FileContent {
  content: Uint8Array;
  /** Where the content stands in the file, as "bytes 0-9/100"; absent when it is the whole. */
  range: string | undefined;
}

/** Stores a file under a key, over any that is there. */
export async function putFile(
  key: string,
  content: Uint8Array,
  contentType: string,
  contentEncoding?: string,
): Promise<void> {
  await s3().send(
    new PutObjectCommand({
      Bucket: bucketName(),
      Key: key,
      Body: content,
      ContentType: contentType,
      ...(contentEncoding !== undefined && { ContentEncoding: contentEncoding }),
    }),
  );
}

/** A file, or the part of it that an HTTP range names; undefined when there is none. */
export async function getFile(key: string, range?: string): Promise<FileContent | undefined> {
  return unlessMissing(async () => {
    const { Body, ContentRange } = await s3().send(
      new GetObjectCommand({ Bucket: bucketName(), Key: key, ...(range !== undefined && { Range: range }) }),
    );
    return { content: (await Body?.transformToByteArray()) ?? new Uint8Array(), range: ContentRange };
  });
}

/** A file's size in bytes; undefined when there is none. */
export async function sizeOfFile(key: string): Promise<number | undefined> {
  return unlessMissing(async () => {
    const { ContentLength = 0 } = await s3().send(new HeadObjectCommand({ Bucket: bucketName(), Key: key }));
    return ContentLength;
  });
}

/** Removes a file; one that is gone already is no error. */
export async function deleteFile(key: string): Promise<void> {
  await s3().send(new DeleteObjectCommand({ Bucket: bucketName(), Key: key }));
}

/** A link by which anyone may read the file for `seconds`, shown by browsers as the headers say. */
export const linkToRead = (
  key: string,
  {
    contentType,
    disposition,
    cacheControl = "private, max-age=3600",
    seconds,
  }: { contentType: string; disposition: string; cacheControl?: string; seconds: number },
): Promise<string> =>
  getSignedUrl(
    s3(),
    new GetObjectCommand({
      Bucket: bucketName(),
      Key: key,
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
      ResponseCacheControl: cacheControl,
    }),
    { expiresIn: seconds },
  );

/**
 * A link by which anyone may store, for `seconds`, one file of exactly `size` bytes under a key that is free; the
 * request must carry the headers.
 */
export async function linkToStore(
  key: string,
  size: number,
  seconds: number,
): Promise<{ url: string; headers: Record<string, string> }> {
  const command = new PutObjectCommand({ Bucket: bucketName(), Key: key, ContentLength: size, IfNoneMatch: "*" });
  const url = await getSignedUrl(s3(), command, { expiresIn: seconds });
  return { url, headers: { "content-length": String(size), "if-none-match": "*" } };
}

/** S3 says 403 instead of 404 to those who may not list a bucket, as no function of ours may. */
async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
    if (status === 404 || status === 403) return undefined;
    throw error;
  }
}
