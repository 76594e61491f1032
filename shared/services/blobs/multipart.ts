import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { bucketName, s3 } from "./bucket.ts";

/** S3 multipart uploads, for files that are too large for a function's memory. */

/** S3's minimum size of every part except the last. */
export const minPartBytes = 5 * 1024 * 1024;

interface UploadedPart {
  part: number;
  etag: string;
}

/** Starts an upload. The bucket's lifecycle rule aborts those that are not completed within days. */
export async function beginMultipartUpload(key: string, contentType: string): Promise<string> {
  const command = new CreateMultipartUploadCommand({ Bucket: bucketName(), Key: key, ContentType: contentType });
  const { UploadId = "" } = await s3().send(command);
  return UploadId;
}

/** Stores a part, replacing any with the same number; undefined when the upload has been completed or aborted. */
export async function putPart(
  key: string,
  uploadId: string,
  part: number,
  body: Uint8Array,
): Promise<UploadedPart | undefined> {
  try {
    const input = { Bucket: bucketName(), Key: key, UploadId: uploadId, PartNumber: part, Body: body };
    const { ETag = "" } = await s3().send(new UploadPartCommand(input));
    return { part, etag: ETag };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export async function completeMultipartUpload(
  key: string,
  uploadId: string,
  parts: readonly UploadedPart[],
): Promise<void> {
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

/** Deletes the parts of an upload. Idempotent; does nothing after the upload has been completed. */
export async function abortMultipartUpload(key: string, uploadId: string): Promise<void> {
  try {
    await s3().send(new AbortMultipartUploadCommand({ Bucket: bucketName(), Key: key, UploadId: uploadId }));
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

const isGone = (error: unknown) => error instanceof Error && error.name === "NoSuchUpload";
