import { createHash, randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32 } from "node:zlib";
import { AwsError, type AwsRequest } from "../protocol.ts";
import { decodeChunks } from "./aws-chunked.ts";

/** A body that was written to disk, with its digests. */
interface StoredFile {
  file: string;
  size: number;
  md5: string;
  /** Base64, as S3 writes it. */
  crc32: string;
}

/** Streams `source` into a new file of `folder`, which gets its name only once it is complete. */
export async function storeStream(source: AsyncIterable<Buffer>, folder: string, check: (stored: Digests) => void) {
  const file = randomUUID();
  const partialFile = join(folder, `${file}.part`);
  const [md5, sha1, sha256] = [createHash("md5"), createHash("sha1"), createHash("sha256")];
  let [size, crc] = [0, 0];
  try {
    await pipeline(
      source,
      async function* measure(chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          size += chunk.length;
          crc = crc32(chunk, crc);
          for (const hash of [md5, sha1, sha256]) hash.update(chunk);
          yield chunk;
        }
      },
      createWriteStream(partialFile),
    );
    const crcBytes = Buffer.alloc(4);
    crcBytes.writeUInt32BE(crc);
    const digests = { size, md5: md5.digest(), sha1: sha1.digest(), sha256: sha256.digest(), crc32: crcBytes };
    check(digests);
    await rename(partialFile, join(folder, file));
    return { file, size, md5: digests.md5.toString("hex"), crc32: crcBytes.toString("base64") } satisfies StoredFile;
  } catch (error) {
    await rm(partialFile, { force: true });
    throw error;
  }
}

interface Digests {
  size: number;
  md5: Buffer;
  sha1: Buffer;
  sha256: Buffer;
  crc32: Buffer;
}

const badDigest = (headerName: string) =>
  new AwsError("BadDigest", `The ${headerName} you specified did not match the calculated checksum.`);

/** Streams a request's body into a new file of `folder`; throws if it does not match the length or digests in its headers. */
export async function storeBody({ headers, body }: AwsRequest, folder: string): Promise<StoredFile> {
  const trailers = new Map<string, string>();
  const isChunked = String(headers["x-amz-content-sha256"] ?? "").startsWith("STREAMING-");
  const source = isChunked ? decodeChunks(body, trailers) : (body as Readable as AsyncIterable<Buffer>);
  return storeStream(source, folder, ({ size, md5, sha1, sha256, crc32 }) => {
    // Trailing headers follow a body whose digest the client computes while it sends.
    const headerValue = (name: string) => trailers.get(name) ?? headers[name];
    const length = headerValue("x-amz-decoded-content-length");
    if (length !== undefined && Number(length) !== size) {
      throw new AwsError(
        "IncompleteBody",
        "You did not provide the number of bytes specified by the Content-Length HTTP header.",
      );
    }
    const expectedSha256 = String(headers["x-amz-content-sha256"] ?? "");
    if (/^[0-9a-f]{64}$/.test(expectedSha256) && expectedSha256 !== sha256.toString("hex")) {
      throw new AwsError(
        "XAmzContentSHA256Mismatch",
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
      );
    }
    const digests: [header: string, digest: Buffer][] = [
      ["content-md5", md5],
      ["x-amz-checksum-crc32", crc32],
      ["x-amz-checksum-sha1", sha1],
      ["x-amz-checksum-sha256", sha256],
    ];
    for (const [header, digest] of digests) {
      const value = headerValue(header);
      if (value !== undefined && value !== digest.toString("base64")) throw badDigest(header);
    }
  });
}
