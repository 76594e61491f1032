import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { bucketName, s3 } from "./bucket.ts";

/** Files that are written in parts, by functions that hold one part at a time. */

/** Bytes that every part but the last must have. */
export const smallestPart = 5 * 1024 * 1024;

export interface Part {
  part: number;
  etag: string;
}

/** Begins a file; the bucket forgets within days what was never completed. */
export async function beginParts(key: string, contentType: string): Promise<string> {
  const begun = new CreateMultipartUploadCommand({ Bucket: bucketName(), Key: key, ContentType: contentType });
  const { UploadId = "" } = await s3().send(begun);
  return UploadId;
}

/** Stores a part, over any of the same number; undefined when the file has been completed or given up. */
export async function putPart(
  key: string,
  uploadId: string,
  part: number,
  body: Uint8Array,
): Promise<Part | undefined> {
  try {
    const sent = { Bucket: bucketName(), Key: key, UploadId: uploadId, PartNumber: part, Body: body };
    const { ETag = "" } = await s3().send(new UploadPartCommand(sent));
    return { part, etag: ETag };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Makes the parts one file. */
export async function completeParts(key: string, uploadId: string, parts: readonly Part[]): Promise<void> {
  const Parts = parts.map(({ part, etag }) => ({ PartNumber: part, ETag: etag }));
  await s3().send(
    new CompleteMultipartUploadCommand({
      Bucket: bucketName(),
      Key: key,
      UploadId: uploadId,
      MultipartUpload: { Parts },
    }),
  );
}

/** Gives a file up; one that was completed or given up before is no error. */
export async function abortParts(key: string, uploadId: string): Promise<void> {
  try {
    await s3().send(new AbortMultipartUploadCommand({ Bucket: bucketName(), Key: key, UploadId: uploadId }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown) => error instanceof S3ServiceException && error.name === "NoSuchUpload";
