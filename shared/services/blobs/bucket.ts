import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ServiceException,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { observe, observed } from "../../base/aws/observe.ts";
import { declaredVariable } from "../../base/environment.ts";
import { currentHost } from "../../base/host.ts";

/** The bucket of files. Only this module and `multipart.ts` call S3. */

let client: S3Client | undefined;
// By default, the SDK would sign the checksum of an empty body into upload links.
export const s3 = () => (client ??= observed(new S3Client({ requestChecksumCalculation: "WHEN_REQUIRED" })));

export const bucketName = () => declaredVariable("FILES_BUCKET");

interface FileContent {
  content: Uint8Array;
  /** The Content-Range of a partial response, such as "bytes 0-9/100"; undefined for the whole file. */
  range: string | undefined;
}

/** Stores a file, replacing any with the same key. */
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

/** A file, or an HTTP range of it; undefined when the file does not exist. */
export async function getFile(key: string, range?: string): Promise<FileContent | undefined> {
  return unlessMissing(async () => {
    const { Body, ContentRange } = await s3().send(
      new GetObjectCommand({ Bucket: bucketName(), Key: key, ...(range !== undefined && { Range: range }) }),
    );
    return { content: (await Body?.transformToByteArray()) ?? new Uint8Array(), range: ContentRange };
  });
}

/** A file's size in bytes; undefined when the file does not exist. */
export async function findFileSize(key: string): Promise<number | undefined> {
  return unlessMissing(async () => {
    const { ContentLength = 0 } = await s3().send(new HeadObjectCommand({ Bucket: bucketName(), Key: key }));
    return ContentLength;
  });
}

/** The keys with a prefix, for commands of operators: no function may list the bucket. */
export async function* listFileKeys(prefix: string): AsyncGenerator<string> {
  for await (const { Contents = [] } of paginateListObjectsV2(
    { client: s3() },
    { Bucket: bucketName(), Prefix: prefix },
  ))
    for (const { Key } of Contents) if (Key !== undefined) yield Key;
}

/** Idempotent. */
export async function deleteFile(key: string): Promise<void> {
  await s3().send(new DeleteObjectCommand({ Bucket: bucketName(), Key: key }));
}

/**
 * A link with which anyone may download the file for `seconds`; the options set the response's headers. A browser that keeps the
 * file must ask again before it shows it, which fails when the link has expired.
 */
export const presignDownload = (
  key: string,
  {
    contentType,
    disposition,
    cacheControl = "private, no-cache",
    seconds,
  }: { contentType: string; disposition: string; cacheControl?: string; seconds: number },
): Promise<string> =>
  linkTo(
    new GetObjectCommand({
      Bucket: bucketName(),
      Key: key,
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
      ResponseCacheControl: cacheControl,
    }),
    seconds,
  );

/**
 * A link with which anyone may upload one file of exactly `size` bytes within `seconds`, unless the key exists. The request
 * must send the returned headers.
 */
export async function presignUpload(
  key: string,
  size: number,
  seconds: number,
): Promise<{ url: string; headers: Record<string, string> }> {
  const command = new PutObjectCommand({ Bucket: bucketName(), Key: key, ContentLength: size, IfNoneMatch: "*" });
  const url = await linkTo(command, seconds);
  return { url, headers: { "content-length": String(size), "if-none-match": "*" } };
}

async function linkTo(command: GetObjectCommand | PutObjectCommand, seconds: number): Promise<string> {
  const call = {
    ...{ client: "S3Client", input: { ...command.input }, linkSeconds: seconds },
    command: command instanceof GetObjectCommand ? "GetObjectCommand" : "PutObjectCommand",
  };
  const services = currentHost().aws();
  if (!services) return getSignedUrl(s3(), command, { expiresIn: seconds });
  const { output } = await observe(call, async () => (await services(call)) ?? { output: {} });
  return output.link;
}

/**
 * Returns undefined when S3 answers 404, or 403: its answer for a missing key to callers who may not list the bucket, which no
 * function may.
 */
async function unlessMissing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const { httpStatusCode: status } = (error as Partial<S3ServiceException>).$metadata ?? {};
    if (status === 404 || status === 403) return undefined;
    throw error;
  }
}
